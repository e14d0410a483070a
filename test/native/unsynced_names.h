// What directories forget when power is lost: the names of files that were made, moved or removed
// in each of them since it was synced; a directory is synced as it is made. What loses a name is
// kept under another one, so that it can come back. Not thread-safe.
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
  // `trash` is a directory of the same file system, for what is kept.
  explicit UnsyncedNames(std::string trash) : trash_(std::move(trash)) {}

  // A file that is there now and was not before.
  void noteMade(const std::string& path) { changes_.push_back({folderOf(path), path, {}, {}}); }
  // Before the name stands for something else, or for nothing: returns where its file is kept, or
  // nothing when there is none.
  std::string keep(const std::string& path) {
    std::error_code error;
    std::string kept = trash_ + "/" + std::to_string(++keptCount_);
    std::filesystem::create_hard_link(path, kept, error);
    return error ? std::string() : kept;
  }
  // After it; `kept` as keep() said.
  void noteRemoved(const std::string& path, std::string kept) {
    changes_.push_back({folderOf(path), {}, path, std::move(kept)});
  }
  void noteRenamed(const std::string& from, const std::string& to, std::string kept) {
    changes_.push_back({folderOf(to), to, to, std::move(kept), from});
  }
  void noteSynced(const std::string& folder) {
    std::erase_if(changes_, [&folder](const Change& one) { return one.folder == folder; });
  }

  // Of the changes in each directory so many of the first stay as `stayingOf` says.
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
    std::string made;  // This name goes.
    std::string gone;  // This one stands for `kept` again, if for anything.
    std::string kept;
    std::string from{};  // Of what is renamed, which gets this name back.
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
