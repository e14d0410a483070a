// What is wrong with the files of a database, and what mends it. To look changes no byte.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/base/status.h"
#include "common/file/file_system.h"
#include "format/manifest/manifest.h"
#include "storage/compactor/segments/segment_salvage.h"
#include "storage/state/engine_options.h"

namespace seriesdb {

enum class Remedy : std::uint8_t {
  kNone,       // There is none but a backup.
  kRoot,       // ROOT is made anew.
  kFolder,     // The folder is made.
  kSetAside,   // The file goes, and the next opening makes it from the other description.
  kOpening,    // It is missing, and the next opening makes it.
  kCutLog,     // The log ends at its last good record.
  kPutBack,    // A whole copy of the segment is put in its place.
  kRewrite,    // What can be read of the segment becomes another one.
  kDrop,       // The segment leaves the descriptions.
};

struct Fault {
  std::string file;  // From the directory of the database on.
  std::string problem;
  std::string action;  // What is done about it.
  Remedy remedy = Remedy::kNone;
  bool isLoss = false;       // Of samples or deletions that were acknowledged, perhaps.
  SegmentLoss lost{};        // Of a segment.
  std::uint64_t records = 0;  // Of the log, as far as they can be read; the same for `samples`.
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;
  std::uint64_t sequence = 0;  // The first record that is lost; 0: none.
  std::uint64_t number = 0;    // Of a segment, or of the file in which the log is to end.
};

// Where the log of a database must end, because what comes behind cannot be read in order.
struct LogCut {
  std::uint64_t number = 0;        // Of the file that becomes the last one.
  std::uint64_t keptSize = 0;      // Of it; 0: it is to be made anew, without records.
  std::uint64_t nextSequence = 0;  // The first that is lost.
  std::vector<std::uint64_t> later;  // Files behind it that are there.
};

// By which description a directory is to be opened.
struct Opening {
  CasMode casMode = CasMode::kDualWrite;
  MetadataReadMode readMode = MetadataReadMode::kPrimary;
  ManifestState state;
};

// Whether a reading that failed so says nothing of the bytes: they could not be looked at, or are
// of a later program.
constexpr bool isUndecided(StatusCode code) {
  return code == StatusCode::kExhausted || code == StatusCode::kConfiguration;
}

// What MANIFEST, CATALOG, ANNOTATIONS and REFS say. Without an opening none of them can be had.
struct DescriptionsLook {
  std::optional<Opening> opening;
  std::vector<Fault> faults;
};
// Fails only where isUndecided(), when nothing is known.
Result<DescriptionsLook> lookAtDescriptions(FileSystem& fs, const std::string& directory);

// What the write-ahead log of that state lacks or has damaged; at most one fault, and where it ends
// if that is mended.
struct LogLook {
  std::optional<Fault> fault;
  LogCut cut;
  std::uint64_t firstSequence = 0;  // Of the file with the fault, where that can be read.
};
Result<LogLook> lookAtLog(FileSystem& fs, const std::string& directory,
                          const ManifestState& state);
// Files of whole segments that the state does not name, with samples of this record or a later one.
std::vector<std::string> segmentsBehind(FileSystem& fs, const std::string& directory,
                                        const ManifestState& state, std::uint64_t sequence);
// Carries it out. Nothing is lost: what is cut goes to quarantine/. Again after a failure.
Status cutLog(FileSystem& fs, const std::string& directory, const ManifestState& state,
              const LogCut& cut);

// Reads all of a segment. None: it is whole. Fails with kExhausted and, when cancelled, kClosed.
Result<std::optional<Fault>> lookAtSegment(FileSystem& fs, const std::string& directory,
                                           const SegmentFacts& facts,
                                           const std::function<bool()>& isCancelled);

// The unit in which the places of the segments hold their times, where that is just one.
std::optional<TimestampUnit> unitToldBy(const ManifestState& state);

}  // namespace seriesdb
