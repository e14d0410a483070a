// The manifest: a log that says which segments exist and from which WAL file on recovery must
// replay. Its last state is the truth; a segment file that it does not name is garbage of an
// unfinished flush or compaction.
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

// Whether the tombstone may mask samples of the segment, as far as sequences and times tell.
inline bool isMasked(const SegmentFacts& facts, const Tombstone& tombstone) {
  return facts.floor() < tombstone.sequence && facts.tsMin <= tombstone.range.end &&
         tombstone.range.start <= facts.tsMax;
}

// The file of a segment got its name from its content.
struct SegmentHash {
  std::uint64_t number = 0;  // Of the segment.
  Sha256 hash;

  bool operator==(const SegmentHash&) const = default;
};

// One atomic change. Every part is optional. Numbers of segments and edits, counts and sequences
// are up to kSequenceMax, so that one more always fits.
struct ManifestEdit {
  std::vector<SegmentFacts> added;
  std::vector<std::uint64_t> removed;  // Segment numbers.
  std::uint64_t walFloor = 0;          // Replay starts at this WAL file; 0 = unchanged.
  std::uint64_t flushedSequence = 0;   // Records up to here are in segments; 0 = unchanged.
  std::uint64_t annotationCount = 0;   // ANNOTATIONS holds at least these; 0 = unchanged.
  Tombstones tombstones{};             // Added; their sequences above those that are there.
  std::vector<FloorRaise> raised{};    // Of segments that are there after `added` and `removed`.
  std::vector<CompactionClass> classes{};  // Added; their numbers above those that are there.
  // The time that retention believes from now on, in the database's unit; none: the same.
  std::optional<Timestamp> retentionClock{};
  // A hash of the rules that the last classes come from; none: the same, 0: all is kept for ever.
  std::optional<std::uint64_t> retentionMark{};
  std::uint64_t seriesCount = 0;           // CATALOG holds at least these; 0 = unchanged.
  std::vector<SegmentHash> hashed{};       // Of segments that had none.
  std::uint64_t number = 0;                // Above all before it; 0 = nobody counts.
  std::int64_t timeMs = 0;  // What its commit holds is of then, by the wall clock; 0: now.
  bool isBeforeRemoval = false;  // A flush for history, right before a deletion. Not on disk.
};

struct ManifestState {
  std::vector<SegmentFacts> segments;  // Ascending by number.
  std::uint64_t walFloor = 1;         // The first file of the log to replay; from 1.
  std::uint64_t flushedSequence = 0;  // The last record below it; 0: none.
  std::uint64_t annotationCount = 0;  // ANNOTATIONS holds at least these.
  // Only those for which a segment with a lower floor lies in their time, and which no later one
  // covers.
  Tombstones tombstones;
  std::uint64_t nextSegment = 1;  // Above all that were there: none is used twice.
  // Ascending by number: those that segments are in, and those of the last version.
  std::vector<CompactionClass> classes;
  // The time that retention believes, once there was anything to keep for a time only; in the
  // database's unit.
  std::optional<Timestamp> retentionClock;
  std::uint64_t retentionMark = 0;  // 0: all is kept for ever.
  std::uint64_t seriesCount = 0;         // 0: nobody noted it.
  std::uint64_t editNumber = 0;          // Of the last edit; 0: nobody counted.
};

struct ManifestReading {
  ManifestState state;
  LogReadReport log;
};
// What MANIFEST says; nothing is changed. kStorageCorrupt names the file.
Result<ManifestReading> readManifest(FileSystem& fs, const std::string& directory);

// Not thread-safe: one writer.
class Manifest {
 public:
  // Makes MANIFEST in an empty directory.
  static Result<std::unique_ptr<Manifest>> create(FileSystem& fs, std::string directory);
  // Reads it and opens it for appending. A torn tail is cut by the first edit, so that an opening
  // that comes to nothing has changed nothing.
  static Result<std::unique_ptr<Manifest>> open(FileSystem& fs, std::string directory);
  // Puts one that holds this state in the place of whatever is there.
  static Result<std::unique_ptr<Manifest>> replace(FileSystem& fs, std::string directory,
                                                   const ManifestState& state);
  virtual ~Manifest() = default;
  virtual const ManifestState& state() const = 0;
  // The failure that is final, when there was one.
  virtual const Status& failure() const = 0;
  // Where a torn tail begins, when there is one.
  virtual std::optional<std::uint64_t> tornAt() const = 0;
  // Appends the edit as one record and syncs. Durable when ok. Rewrites the log (replaceFile) when
  // it has grown to many times its live content. kStorageUnavailable (no space): nothing changed,
  // and a later call may succeed; any other failure of the disk is final.
  virtual Status apply(const ManifestEdit& edit) = 0;
};

}  // namespace seriesdb
