// A database copied to another directory by what its commits are made of, as lines of JSON:
//
//   {"kind":"plan","files":7,"bytes":81234,"present":2}
//   {"kind":"progress","file":"objects/ab/cdef…","bytes":…}
//   {"kind":"file","file":"objects/ab/cdef…","status":"ok","bytes":…}
//   {"kind":"file","file":"objects/ab/cdef…","status":"damaged","problems":["…"]}
//   {"kind":"end","status":"ok","files":7,"bytes":81234,"present":2,"damaged":0,"removed":1,…}
//
// `files` are those to copy and their bytes; `present` are there already, from a copy before or
// from one that was cut short. Each call of next() copies a part of a file.
//
//   ROOT       of a new copy, which says that it is not finished
//   REFS       under another name, and read through: it says which objects there are to copy
//   objects    each under another name; its bytes are hashed on the way, synced, and then it gets
//              the name
//   REFS       gets its name: from here on the copy is what the source was as it was asked
//   objects    that nobody names any more go, unless one that is named was damaged
//   ROOT       that says what it is
//
// So a copy that is cut short is what it was before, and goes on when it is asked for again.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/file/file_system.h"
#include "common/file/hashing_file.h"
#include "maintenance/inspect/refs_reading.h"
#include "query/answers/json_reader.h"
#include "storage/ledger/committed_files.h"
#include "storage/ledger/root_file.h"

namespace seriesdb {

struct CopySource {
  FileSystem* fs;  // Not null.
  std::string directory;
  CommittedFiles files;
};

class DatabaseCopy : public JsonReader {
 public:
  // kConfiguration: the directory holds something else; kStorageUnavailable: no room; kLocked;
  // kStorageCorrupt names REFS of the source. What was copied stays in any case. After a failure
  // every later call returns it.
  Status next(std::string& piece) override;
  bool isShort() const override { return false; }
  Stage stage() const override { return Stage::kVerify; }

 protected:
  DatabaseCopy(FileSystem& fs, std::string target) : fs_(fs), target_(std::move(target)) {}

  FileSystem& fs() const { return fs_; }
  const std::string& target() const { return target_; }
  // What the copied REFS says. REQUIRES: not before chooseStates().
  const RefsReading& refs() const { return *refs_; }
  // First of all, and again where what it gave is another file by now.
  virtual Result<CopySource> openSource() = 0;
  // What ROOT of the copy says in the end; kConfiguration when `there` is of something else.
  virtual Result<RootFacts> rootOver(const std::optional<RootFacts>& there) = 0;
  // The states whose objects are to be copied.
  virtual Result<std::vector<const NamedState*>> chooseStates() = 0;
  // When objects and REFS are there.
  virtual Status complete() = 0;

 private:
  enum class Step : std::uint8_t { kBegin, kObjects, kFinish, kDone };
  struct Waiting {
    Sha256 hash;
    std::uint64_t bytes;
  };
  // The one that is being copied.
  struct Copying {
    Waiting object;
    std::string name;
    std::unique_ptr<ReadableFile> from;
    std::unique_ptr<HashingFile> to;
    std::uint64_t at = 0;
  };

  // With the name of the file that it was about.
  static Status at(const std::string& path, const Status& failure);
  Status step(std::string& piece);
  Status begin(std::string& piece);
  Result<std::optional<RootFacts>> lookAtTarget() const;
  Status lockTarget();
  Status openTarget();
  Status copyRefs();
  Status copyRefsOnce();
  Status planObjects();
  Status isPresent(const Waiting& object, bool& is);
  Status beginObject(std::string& piece);
  Status copyPart(std::string& piece);
  Status endObject(std::string& piece);
  void skipObject(const Status& damage, std::string& piece);
  Status nameObject(const Sha256& hash);
  Status finish(std::string& piece);
  void tellEnd(std::uint64_t removed, std::string& piece) const;
  Status publishRefs();
  Status sweep(std::uint64_t& removed);
  std::string path(std::string_view name) const;
  std::string scratch() const;
  std::string unfinished() const;

  FileSystem& fs_;
  const std::string target_;
  Step step_ = Step::kBegin;
  Status failure_;
  std::unique_ptr<DirectoryLock> lock_;
  std::optional<CopySource> source_;
  std::optional<RefsReading> refs_;
  RootFacts root_;
  bool isRootDue_ = false;
  std::map<Sha256, std::uint64_t> objects_;  // That the copy is to have, and their sizes.
  std::deque<Waiting> waiting_;
  std::optional<Copying> copying_;
  std::uint64_t fileCount_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t presentCount_ = 0;
  std::uint64_t damagedCount_ = 0;
};

}  // namespace seriesdb
