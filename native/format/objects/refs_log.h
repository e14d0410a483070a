// REFS: a log of every ref move, with the objects that each move needs, except segments. It is
// packed refs, reflog and pack in one, so a commit is one append and sync. One checksum covers the
// move and its objects: a torn tail moves no ref. See docs/format/objects.md. Not thread-safe,
// except for concurrent reads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/base/lock_order.h"
#include "common/base/status.h"
#include "common/file/file_system.h"
#include "format/log/append_log.h"
#include "format/objects/object.h"
#include "format/objects/refs_record.h"

namespace seriesdb {

class RefsLog final : public ObjectReader {
  // Restricts construction to this class.
  struct Key {};

 public:
  RefsLog(Key, FileSystem& fs, std::string directory);

  // Reads REFS. A missing file is an empty log, which the first append makes. The first append cuts
  // a torn tail, so a failed open changes nothing.
  static Result<std::unique_ptr<RefsLog>> open(FileSystem& fs, const std::string& directory);
  // An empty log; its first append replaces an existing file.
  static std::unique_ptr<RefsLog> none(FileSystem& fs, const std::string& directory) {
    return std::make_unique<RefsLog>(Key{}, fs, directory);
  }

  Result<ByteBuffer> read(const Sha256& id) const override;
  // The last move of each ref that is there.
  const std::map<std::string, RefMove>& refs() const { return refs_; }
  // The file as it is now, without later appends.
  Result<std::unique_ptr<ReadableFile>> readable() const { return fs_.openRead(log_.path()); }
  bool has(const Sha256& id) const { return places_.contains(id); }
  // The commit that the ref names; zeros if the ref does not exist.
  Sha256 target(const std::string& ref) const;

  // Appends the objects and the move, and syncs; durable when ok. kStorageUnavailable (no space):
  // nothing changed, and a later call may succeed. After any other disk failure only replace()
  // works.
  Status append(const RefMove& move, const NewObjects& objects);
  // As append(), but writes a new file in place of the old one, with the `live` objects and the
  // last move of each ref. After a failure a restart may find either file. With kStorageUnavailable
  // the old file is there and in use.
  Status replace(const RefMove& move, const NewObjects& objects, std::span<const Sha256> live);

  // The final failure; ok while there is none.
  const Status& failure() const { return log_.failure(); }
  // The report of open().
  const LogReadReport& report() const { return report_; }
  // The file's size in bytes.
  std::uint64_t size() const { return log_.size(); }
  // Memory of the object table in bytes; the table takes two words for each entry.
  std::uint64_t memoryBytes() const {
    return places_.size() * (sizeof(Places::value_type) + 2 * sizeof(void*)) +
           places_.bucket_count() * sizeof(void*);
  }
  // The bytes that these objects take in the file; objects not there count as 0.
  std::uint64_t sizeOf(std::span<const Sha256> ids) const;

 private:
  struct Place {
    std::uint64_t offset;  // In the file.
    std::uint32_t storedSize;
    std::uint32_t size;  // As in ObjectPlace.
  };
  using Places = std::unordered_map<Sha256, Place>;
  struct Batch;

  static Place placeIn(const LogRecord& record, const ObjectPlace& one);
  Status restore(const LogRecord& record);
  Result<std::shared_ptr<ReadableFile>> readableTo(std::uint64_t end) const;
  Result<ByteBuffer> readStored(const Place& place) const;
  void take(const RefMove& move);
  Status copyInto(Batch& batch, const Sha256& id) const;
  Status writeAll(Batch& batch, const RefMove& move, const NewObjects& objects,
                  std::span<const Sha256> live) const;

  FileSystem& fs_;
  AppendLog log_;
  // Lets one reader open the file that many readers share.
  mutable OrderedMutex<LockRank::kRefsReading> readableMutex_;
  // Reopened when a read needs more of the file than it shows.
  mutable std::shared_ptr<ReadableFile> readable_;
  Places places_;
  std::map<std::string, RefMove> refs_;
  LogReadReport report_;
};

}  // namespace seriesdb
