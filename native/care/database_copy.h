// A database copied to another directory by what its commits are made of, as lines of JSON:
//
//   {"kind":"plan","files":7,"bytes":81234,"present":2}
//   {"kind":"file","file":"objects/ab/cdef…","bytes":…}
//   {"kind":"end","status":"done","files":7,"bytes":81234,"removed":1,…}
//
// `files` are those to copy and their bytes; `present` are there already, from a copy before or
// from one that was cut short. Each call of next() copies one.
//
//   ROOT       of a new copy, which says that it is not finished
//   objects    each under another name; its bytes are hashed on the way, synced, and then it gets
//              the name
//   REFS       by a rename: from here on the copy is what the source was as it was asked
//   objects    that nobody names any more go
//   ROOT       that says what it is
//
// So a copy that is cut short is what it was before, and goes on when it is asked for again.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "engine/committed_files.h"
#include "engine/json_reader.h"
#include "engine/root_file.h"

namespace seriesdb {

struct CopySource {
  FileSystem* fs;  // Not null.
  std::string directory;
  CommittedFiles files;
};

class DatabaseCopy : public JsonReader {
 public:
  // kConfiguration: the directory holds something else; kStorageUnavailable: no room; kLocked;
  // kStorageCorrupt names the file of the source. What was copied stays in any case.
  Status next(std::string& piece) override;
  bool isShort() const override { return false; }
  Stage stage() const override { return Stage::kVerify; }

 protected:
  DatabaseCopy(FileSystem& fs, std::string target) : fs_(fs), target_(std::move(target)) {}

  FileSystem& fs() const { return fs_; }
  const std::string& target() const { return target_; }
  // Once, before all others.
  virtual Result<CopySource> openSource() = 0;
  // What ROOT of the copy says in the end; kConfiguration when `there` is of something else.
  virtual Result<RootFacts> rootOver(const std::optional<RootFacts>& there) = 0;
  // When objects and REFS are there.
  virtual Status complete() = 0;

 private:
  enum class Step : std::uint8_t { kBegin, kObjects, kFinish, kDone };
  struct Waiting {
    Sha256 hash;
    std::uint64_t bytes;
  };

  Status begin(std::string& piece);
  Status openTarget();
  Status planObjects();
  Status copyNext(std::string& piece);
  Status copyObject(const Waiting& object, const std::string& name);
  Status copyBytes(const ReadableFile& from, const std::string& path, Sha256& hash) const;
  Status finish(std::string& piece);
  Status copyRefs();
  Result<std::uint64_t> sweep();
  std::string path(std::string_view name) const;

  FileSystem& fs_;
  const std::string target_;
  Step step_ = Step::kBegin;
  std::unique_ptr<DirectoryLock> lock_;
  std::optional<CopySource> source_;
  RootFacts root_;
  bool isRootDue_ = false;
  std::deque<Waiting> waiting_;
  std::uint64_t fileCount_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t presentCount_ = 0;
};

}  // namespace seriesdb
