// The manifest: a log of the segments that exist and of the WAL file where recovery starts. Its
// last state is the truth. A segment file that it does not name is garbage of an unfinished flush
// or compaction.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/status.h"
#include "common/digest/sha256.h"
#include "common/file/file_system.h"
#include "common/types/tombstone.h"
#include "format/log/log_file.h"
#include "format/segment/segment.h"

namespace seriesdb {

// True if the tombstone may mask samples of the segment, as far as sequences and times tell.
inline bool isMasked(const SegmentFacts& facts, const Tombstone& tombstone) {
  return facts.floor() < tombstone.sequence && facts.tsMin <= tombstone.range.end &&
         tombstone.range.start <= facts.tsMax;
}

// The content hash of a segment; the segment's file is named by it.
struct SegmentHash {
  std::uint64_t number = 0;  // The segment's number.
  Sha256 hash;

  bool operator==(const SegmentHash&) const = default;
};

// One atomic change; every part is optional. Segment and edit numbers, counts and sequences are up
// to kSequenceMax, so adding one never overflows.
struct ManifestEdit {
  std::vector<SegmentFacts> added;
  std::vector<std::uint64_t> removed;      // Segment numbers.
  std::uint64_t walFloor = 0;              // Replay starts at this WAL file; 0 = unchanged.
  std::uint64_t flushedSequence = 0;       // Records up to here are in segments; 0 = unchanged.
  std::uint64_t annotationCount = 0;       // ANNOTATIONS holds at least these; 0 = unchanged.
  Tombstones tombstones{};                 // Added; their sequences are above all existing ones.
  std::vector<FloorRaise> raised{};        // For segments that exist after `added` and `removed`.
  std::vector<CompactionClass> classes{};  // Added; their numbers are above all existing ones.
  // The new retention clock, in the database's unit; none: unchanged.
  std::optional<Timestamp> retentionClock{};
  // A hash of the retention rules behind the newest classes; none: unchanged, 0: nothing expires.
  std::optional<std::uint64_t> retentionMark{};
  std::uint64_t seriesCount = 0;      // CATALOG holds at least these; 0 = unchanged.
  std::vector<SegmentHash> hashed{};  // Hashes for segments that had none.
  std::uint64_t number = 0;           // Above all earlier edits; 0 = edits are not numbered.
  std::int64_t timeMs = 0;  // The wall-clock time of the commit's content in milliseconds; 0: now.
  // True for a flush right before a deletion, for history. Not on disk.
  bool isBeforeRemoval = false;
};

struct ManifestState {
  std::vector<SegmentFacts> segments;  // Ascending by number.
  std::uint64_t walFloor = 1;          // Recovery replays from this WAL file on; from 1.
  std::uint64_t flushedSequence = 0;   // The last WAL record that is in segments; 0: none.
  std::uint64_t annotationCount = 0;   // ANNOTATIONS holds at least these.
  // Only tombstones that overlap a segment with a lower floor, and that no later tombstone covers.
  Tombstones tombstones;
  std::uint64_t nextSegment = 1;  // Above all segment numbers ever used: numbers are not reused.
  // Ascending by number: the classes with segments, and all classes of the last version.
  std::vector<CompactionClass> classes;
  // The retention clock, in the database's unit; none until a retention rule exists.
  std::optional<Timestamp> retentionClock;
  std::uint64_t retentionMark = 0;  // 0: nothing expires.
  std::uint64_t seriesCount = 0;    // CATALOG holds at least these; 0: not recorded.
  std::uint64_t editNumber = 0;     // The number of the last edit; 0: edits are not numbered.
};

struct ManifestReading {
  ManifestState state;
  LogReadReport log;
};
// Reads the state of MANIFEST and changes nothing. kStorageCorrupt names the file.
Result<ManifestReading> readManifest(FileSystem& fs, const std::string& directory);

// Not thread-safe: one writer.
class Manifest {
 public:
  // Makes MANIFEST in an empty directory.
  static Result<std::unique_ptr<Manifest>> create(FileSystem& fs, std::string directory);
  // Reads the file and opens it for appending. The first edit cuts a torn tail, so a failed open
  // changes nothing.
  static Result<std::unique_ptr<Manifest>> open(FileSystem& fs, std::string directory);
  // Replaces the file, if any, by one that holds this state.
  static Result<std::unique_ptr<Manifest>> replace(FileSystem& fs, std::string directory,
                                                   const ManifestState& state);
  virtual ~Manifest() = default;
  virtual const ManifestState& state() const = 0;
  // The final failure; ok while there is none.
  virtual const Status& failure() const = 0;
  // The offset of a torn tail, if there is one.
  virtual std::optional<std::uint64_t> tornAt() const = 0;
  // Appends the edit as one record and syncs; durable when ok. Rewrites the log when it is many
  // times its live content. kStorageUnavailable (no space): nothing changed, and a later call may
  // succeed. Any other disk failure is final.
  virtual Status apply(const ManifestEdit& edit) = 0;
};

}  // namespace seriesdb
