// Copies the commits of a database to another directory, and reports in lines of JSON:
//
//   {"kind":"plan","files":7,"bytes":81234,"present":2}
//   {"kind":"progress","file":"objects/ab/cdef…","bytes":…}
//   {"kind":"file","file":"objects/ab/cdef…","status":"ok","bytes":…}
//   {"kind":"file","file":"objects/ab/cdef…","status":"damaged","problems":["…"]}
//   {"kind":"end","status":"ok","files":7,"bytes":81234,"present":2,"damaged":0,"removed":1,…}
//
// `files` and `bytes` are still to be copied. `present` files exist already, from an earlier or an
// interrupted copy. Each call of next() copies a part of a file.
//
//   ROOT       of a new copy, marked as unfinished
//   REFS       under a temporary name, and read through: it lists the objects to copy
//   objects    each under a temporary name; hashed during the copy, synced, then renamed
//   REFS       gets its name: from here on the copy has the state of the source when it was read
//   objects    without any reference are removed, unless a referenced object was damaged
//   ROOT       in its final form
//
// So an interrupted copy keeps its previous state, and the next call resumes it.
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
#include "query/answers/json_reader.h"
#include "storage/ledger/committed_files.h"
#include "storage/ledger/root_file.h"

namespace seriesdb {

struct NamedState;
struct RefsReading;

struct CopySource {
  FileSystem* fs;  // Not null.
  std::string directory;
  CommittedFiles files;
};

class DatabaseCopy : public JsonReader {
 public:
  // kConfiguration: the directory holds something else; kStorageUnavailable: no space; kLocked;
  // kStorageCorrupt names REFS of the source. Copied objects stay in any case. After a failure
  // every later call returns it.
  ~DatabaseCopy() override;
  Status next(std::string& piece) override;
  bool isShort() const override { return false; }
  Stage stage() const override { return Stage::kVerify; }

 protected:
  DatabaseCopy(FileSystem& fs, std::string target);

  FileSystem& fs() const { return fs_; }
  const std::string& target() const { return target_; }
  // The content of the copied REFS. REQUIRES: not before chooseStates().
  const RefsReading& refs() const { return *refs_; }
  // Opens the source. Called first, and again if REFS was replaced meanwhile.
  virtual Result<CopySource> openSource() = 0;
  // The final ROOT of the copy; kConfiguration if `there` belongs to something else.
  virtual Result<RootFacts> rootOver(const std::optional<RootFacts>& there) = 0;
  // The states whose objects are copied.
  virtual Result<std::vector<const NamedState*>> chooseStates() = 0;
  // Completes the copy once all objects and REFS are in place.
  virtual Status complete() = 0;

 private:
  enum class Step : std::uint8_t { kBegin, kObjects, kFinish, kDone };
  struct Waiting {
    Sha256 hash;
    std::uint64_t bytes;
  };
  // The object being copied.
  struct Copying {
    Waiting object;
    std::string name;
    std::unique_ptr<ReadableFile> from;
    std::unique_ptr<HashingFile> to;
    std::uint64_t at = 0;
  };

  // Adds the file's path to the message of the failure.
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
  std::unique_ptr<const RefsReading> refs_;  // Null before it is read.
  RootFacts root_;
  bool isRootDue_ = false;
  // All objects of the finished copy, and their sizes in bytes.
  std::map<Sha256, std::uint64_t> objects_;
  std::deque<Waiting> waiting_;
  std::optional<Copying> copying_;
  std::uint64_t fileCount_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t presentCount_ = 0;
  std::uint64_t damagedCount_ = 0;
};

}  // namespace seriesdb
