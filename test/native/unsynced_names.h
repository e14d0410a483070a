// Tracks unsynced names: files made, moved or removed in each directory since its last sync. A
// directory is synced when it is made. A power loss undoes these changes. A file that loses its
// name is kept under another one, so that it can come back. Not thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace seriesdb::test {

class UnsyncedNames {
 public:
  // `trash` is a directory of the same file system, for the kept files.
  explicit UnsyncedNames(std::string trash) : trash_(std::move(trash)) {}

  // Call it after a new file is made.
  void noteMade(const std::string& path) { changes_.push_back({folderOf(path), path, {}, {}}); }
  // Call it before a name is removed or replaced. Returns the path where its file is kept, or
  // nothing if there is none.
  std::string keep(const std::string& path) {
    std::error_code error;
    std::string kept = trash_ + "/" + std::to_string(++keptCount_);
    std::filesystem::create_hard_link(path, kept, error);
    return error ? std::string() : kept;
  }
  // Call it after the removal; `kept` is the result of keep().
  void noteRemoved(const std::string& path, std::string kept) {
    changes_.push_back({folderOf(path), {}, path, std::move(kept)});
  }
  void noteRenamed(const std::string& from, const std::string& to, std::string kept) {
    changes_.push_back({folderOf(to), to, to, std::move(kept), from});
  }
  void noteSynced(const std::string& folder) {
    std::erase_if(changes_, [&folder](const Change& one) { return one.folder == folder; });
  }

  // Undoes unsynced changes. In each directory, the first `stayingOf(count)` of its changes stay.
  void undo(const std::function<std::size_t(std::size_t count)>& stayingOf) {
    std::map<std::string, std::size_t> left;
    for (const Change& one : changes_) ++left[one.folder];
    for (auto& [folder, count] : left) count = stayingOf(count);
    std::vector<const Change*> undone;
    for (const Change& one : changes_) {
      if (left[one.folder] == 0) {
        undone.push_back(&one);
      } else {
        --left[one.folder];
      }
    }
    for (auto one = undone.rbegin(); one != undone.rend(); ++one) undoOne(**one);
    changes_.clear();
  }

 private:
  struct Change {
    std::string folder;
    std::string made;  // Removed by the undo.
    std::string gone;  // Gets the file `kept` back, if there is one.
    std::string kept;
    std::string from{};  // The old name of a renamed file, which the undo restores.
  };

  static std::string folderOf(const std::string& path) { return path.substr(0, path.rfind('/')); }

  static void undoOne(const Change& one) {
    namespace files = std::filesystem;
    std::error_code error;
    if (!one.from.empty() && files::exists(one.made)) {
      files::create_directories(folderOf(one.from), error);
      files::rename(one.made, one.from, error);
    } else if (!one.made.empty()) {
      files::remove(one.made, error);
    }
    if (!one.kept.empty() && !files::exists(one.gone)) files::rename(one.kept, one.gone, error);
  }

  const std::string trash_;
  std::uint64_t keptCount_ = 0;
  std::vector<Change> changes_;
};

}  // namespace seriesdb::test
