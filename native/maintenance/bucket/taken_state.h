// The state of a database at one moment, for who uploads it to a bucket: REFS in memory, and what
// it names.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "bucket/bucket_files.h"
#include "common/base/status.h"
#include "maintenance/inspect/refs_reading.h"
#include "storage/ledger/committed_files.h"

namespace seriesdb {

struct TakenState {
  CommittedFiles held;                 // Keeps the segment files of the directory.
  std::unique_ptr<BucketFiles> files;  // Has REFS, up to its last whole record.
  RefsReading states;                  // Read from it.
  const NamedState* head = nullptr;    // Points into `states`; never null.
};

// `hold` pins the committed files. Reads REFS as a restore would, so that no damaged one is
// published. kStorageCorrupt, kIo: REFS of the directory is damaged, and the message names it.
Result<TakenState> takeCommittedState(StoreSession& session, const std::string& directory,
                                      const std::function<Result<CommittedFiles>()>& hold);

// All segments that the head and the tags name, with their sizes in bytes. kConfiguration: the
// directory has segments without a hash.
Result<std::map<Sha256, std::uint64_t>> namedSegments(const TakenState& taken,
                                                      const std::string& directory);

// The file of a segment, relative to the directory of the database.
std::string segmentFileOfHash(const Sha256& hash);

}  // namespace seriesdb
