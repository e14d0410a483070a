#include "maintenance/bucket/taken_state.h"

#include <utility>

#include "common/base/work_pace.h"
#include "common/types/file_names.h"
#include "format/segment/segment_identity.h"

namespace seriesdb {
namespace {

// How often REFS of an open database is read, if it is replaced meanwhile.
constexpr int kRefsTries = 3;

Status readOnce(StoreSession& session, const std::string& directory, TakenState& taken) {
  taken.head = nullptr;
  ByteBuffer bytes;
  const Status read = visitPieces(*taken.held.refs, [&bytes](Bytes piece) {
    PacedThread::giveWay();
    appendBytes(bytes, piece);
    return Status();
  });
  if (!read.ok()) return read;
  const auto valid = [&](ByteBuffer refs) -> Result<RefsReading> {
    BucketFiles::Content content{directory, {}, std::move(refs), {}};
    taken.files = std::make_unique<BucketFiles>(session, std::move(content));
    return readRefs(*taken.files, directory);
  };
  auto reading = valid(std::move(bytes));
  if (!reading.ok()) return reading.status();
  const LogReadReport report = reading.value().log->report();
  if (report.hasTornTail) {
    // The tail was never confirmed, and the next append of the source cuts it.
    const Bytes whole = taken.files->refs().first(static_cast<std::size_t>(report.validSize));
    reading = valid(ByteBuffer(whole.begin(), whole.end()));
    if (!reading.ok()) return reading.status();
  }
  taken.states = std::move(reading).value();
  for (const NamedState& one : taken.states.states) {
    if (one.move.ref == kHeadRef) taken.head = &one;
  }
  return taken.head != nullptr ? Status() : Status::corrupt("it names no head commit");
}

}  // namespace

Result<TakenState> takeCommittedState(StoreSession& session, const std::string& directory,
                                      const std::function<Result<CommittedFiles>()>& hold) {
  for (int tries = kRefsTries;; --tries) {
    auto files = hold();
    if (!files.ok()) return files.status();
    TakenState taken;
    taken.held = std::move(files).value();
    const Status read = readOnce(session, directory, taken);
    if (read.ok()) return taken;
    const bool isDamage =
        read.code() == StatusCode::kStorageCorrupt || read.code() == StatusCode::kIo;
    if (read.code() == StatusCode::kStorageCorrupt && tries > 1) continue;
    if (!isDamage) return read;
    const std::string from = file_names::join(directory, file_names::kRefs);
    return Status(read.code(), from + ": " + read.message());
  }
}

Result<std::map<Sha256, std::uint64_t>> namedSegments(const TakenState& taken,
                                                      const std::string& directory) {
  std::map<Sha256, std::uint64_t> named;
  for (const NamedState& one : taken.states.states) {
    for (const SegmentFacts& facts : one.state.segments) {
      if (facts.hash) {
        named.emplace(*facts.hash, facts.fileSize);
        continue;
      }
      return Status(StatusCode::kConfiguration,
                    directory + " has segments of an older version" +
                        ": run seriesdb migrate before it goes to a bucket");
    }
  }
  return named;
}

std::string segmentFileOfHash(const Sha256& hash) {
  SegmentFacts facts;
  facts.hash = hash;
  return segmentFileOf(facts);
}

}  // namespace seriesdb
