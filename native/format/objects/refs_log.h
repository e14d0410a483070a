// REFS: a log of every move of a ref, with the objects that each move needs and that are not
// segments. So it is packed refs, reflog and pack in one, and a commit is one append and sync.
// The move and its objects stand under one checksum: a torn tail is no move.
// See docs/format/objects.md. Not thread-safe, but for reads side by side.
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

#include "common/base/status.h"
#include "common/file/file_system.h"
#include "format/log/append_log.h"
#include "format/objects/object.h"
#include "format/objects/refs_record.h"

namespace seriesdb {

class RefsLog final : public ObjectReader {
  // Only open() can make one.
  struct Key {};

 public:
  RefsLog(Key, FileSystem& fs, std::string directory);

  // Reads it. None is an empty one, which the first append makes. A torn tail is cut by the first
  // append, so that an opening that comes to nothing has changed nothing.
  static Result<std::unique_ptr<RefsLog>> open(FileSystem& fs, const std::string& directory);
  // An empty one, whose first append makes the file in the place of what is there.
  static std::unique_ptr<RefsLog> none(FileSystem& fs, const std::string& directory) {
    return std::make_unique<RefsLog>(Key{}, fs, directory);
  }

  Result<ByteBuffer> read(const Sha256& id) const override;
  // The last move of each ref that is there.
  const std::map<std::string, RefMove>& refs() const { return refs_; }
  // The file as it is now: what is appended later it does not have.
  Result<std::unique_ptr<ReadableFile>> readable() const { return fs_.openRead(log_.path()); }
  bool has(const Sha256& id) const { return places_.contains(id); }
  // What the ref names; zeros where it is not there.
  Sha256 target(const std::string& ref) const;

  // Appends the objects and the move, and syncs. Durable when ok. kStorageUnavailable (no space):
  // nothing changed, and a later call may succeed; any other failure of the disk is final, but for
  // replace().
  Status append(const RefMove& move, const NewObjects& objects);
  // The same, as a new file that holds what `live` names and the last move of each ref, in place of
  // the old one. On failure either may be there after a restart; with kStorageUnavailable it is the
  // old one, still in use.
  Status replace(const RefMove& move, const NewObjects& objects, std::span<const Sha256> live);

  // The failure that is final, when there was one.
  const Status& failure() const { return log_.failure(); }
  // What open() read.
  const LogReadReport& report() const { return report_; }
  // Of the file.
  std::uint64_t size() const { return log_.size(); }
  // What is known of the objects, in memory: two words of each entry are the table's.
  std::uint64_t memoryBytes() const {
    return places_.size() * (sizeof(Places::value_type) + 2 * sizeof(void*)) +
           places_.bucket_count() * sizeof(void*);
  }
  // What these objects take in the file, as far as they are there.
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
  mutable std::mutex readableMutex_;  // What many may read at a time, one opens.
  mutable std::shared_ptr<ReadableFile> readable_;  // As it was when it was last too short.
  Places places_;
  std::map<std::string, RefMove> refs_;
  LogReadReport report_;
};

}  // namespace seriesdb
