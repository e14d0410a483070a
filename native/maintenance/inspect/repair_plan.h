// The faults in the files of a database, and their remedies. The examination changes no byte.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/base/status.h"
#include "common/file/file_system.h"
#include "common/types/timestamp_unit.h"
#include "format/manifest/manifest.h"
#include "storage/compactor/segments/segment_salvage.h"
#include "storage/ledger/description_modes.h"

namespace seriesdb {

enum class Remedy : std::uint8_t {
  kNone,      // Only a backup helps.
  kRoot,      // Rebuild ROOT.
  kFolder,    // Make the folder.
  kSetAside,  // Set the file aside; the next opening rebuilds it from the other description.
  kOpening,   // The file is missing or behind; the next opening rebuilds it.
  kCutLog,    // Cut the log after its last good record.
  kPutBack,   // Replace the segment by an intact copy.
  kRewrite,   // Write the readable samples to another segment.
  kDrop,      // Remove the segment from the descriptions.
};

struct Fault {
  std::string file;  // Relative to the database's directory.
  std::string problem;
  std::string action;  // The repair that is or would be done.
  Remedy remedy = Remedy::kNone;
  bool isLoss = false;  // True if the repair may lose acknowledged samples or deletions.
  SegmentLoss lost{};   // For a segment.
  // Lost records of the log, as far as readable; the same for `samples`.
  std::uint64_t records = 0;
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;
  std::uint64_t sequence = 0;  // The first lost record; 0: none.
  // The segment's number, or that of the WAL file that becomes the last one.
  std::uint64_t number = 0;
};

// The end of a WAL whose following records cannot be read in order.
struct LogCut {
  std::uint64_t number = 0;  // The file that becomes the last one.
  // The kept bytes of that file; 0: it is made anew, without records.
  std::uint64_t keptSize = 0;
  std::uint64_t nextSequence = 0;    // The first lost sequence.
  std::vector<std::uint64_t> later;  // Existing files behind it.
};

// The description by which to open a directory.
struct Opening {
  CasMode casMode = CasMode::kDualWrite;
  MetadataReadMode readMode = MetadataReadMode::kPrimary;
  ManifestState state;
};

// True if such a failure says nothing about the bytes: they could not be read, or a newer version
// wrote them.
constexpr bool isUndecided(StatusCode code) {
  return code == StatusCode::kExhausted || code == StatusCode::kConfiguration;
}

// The state of MANIFEST, CATALOG, ANNOTATIONS and REFS. No opening: no description is intact.
struct DescriptionsLook {
  std::optional<Opening> opening;
  std::vector<Fault> faults;
};
// Fails only if isUndecided(); nothing is known then.
Result<DescriptionsLook> lookAtDescriptions(FileSystem& fs, const std::string& directory);

// The first fault of the WAL that follows this state, and the cut that repairs it.
struct LogLook {
  std::optional<Fault> fault;
  LogCut cut;
  // The first sequence of the file with the fault, if readable; else 0.
  std::uint64_t firstSequence = 0;
};
Result<LogLook> lookAtLog(FileSystem& fs, const std::string& directory, const ManifestState& state);
// Intact segment files that the state does not name and that hold this record or a later one.
std::vector<std::string> segmentsBehind(FileSystem& fs, const std::string& directory,
                                        const ManifestState& state, std::uint64_t sequence);
// Applies the cut. Nothing is lost: the cut parts go to quarantine/. Can be repeated after a
// failure.
Status cutLog(FileSystem& fs, const std::string& directory, const ManifestState& state,
              const LogCut& cut);

// Reads a segment completely. None: it is intact. Fails with kExhausted and, if cancelled, kClosed.
Result<std::optional<Fault>> lookAtSegment(FileSystem& fs, const std::string& directory,
                                           const SegmentFacts& facts,
                                           const std::function<bool()>& isCancelled);

// The timestamp unit that fits the places of the segments; none unless exactly one fits.
std::optional<TimestampUnit> unitToldBy(const ManifestState& state);

}  // namespace seriesdb
