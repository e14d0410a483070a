// The memory of an open engine by part, and the room that `memory_limit_bytes` leaves.
//
// Each part counts itself as it grows and shrinks, so a check takes less than a microsecond. The
// engine checks for each piece of a request. Only memory that grows with data or requests counts.
// Fixed buffers, the JavaScript heap and mapped pages, which the system reclaims, do not count.
#pragma once

#include <cstdint>
#include <memory>

#include "common/base/memory_account.h"

namespace seriesdb {

class LoggedDescriptors;
struct EngineFigures;
struct LedgerFigures;
struct Sources;

// The accounts. Shared, because readers may keep a memtable or a segment longer than the engine
// lives.
struct MemoryAccounts {
  using Account = std::shared_ptr<MemoryAccount>;

  Account memtables = std::make_shared<MemoryAccount>();
  Account segments = std::make_shared<MemoryAccount>();
  Account lines = std::make_shared<MemoryAccount>();
  Account queries = std::make_shared<MemoryAccount>();
  // Answers that wait for their clients.
  Account unread = std::make_shared<MemoryAccount>();
  // Memory of open past states, beyond what they share with the database.
  Account past = std::make_shared<MemoryAccount>();
};

struct MemoryUse {
  // Each part may always use an eighth of the limit. So neither a large index nor large queries
  // block ingest for ever, and ingest never blocks all queries.
  static constexpr std::uint64_t kShares = 8;

  // Memory that a flush frees: the active and frozen memtables, and descriptors that only the WAL
  // has.
  std::uint64_t unflushed = 0;
  std::uint64_t flushed = 0;   // Memtables that only readers still hold, or that are being freed.
  std::uint64_t requests = 0;  // Ingest requests being parsed, or waiting for the WAL.
  std::uint64_t index = 0;     // The series index.
  std::uint64_t annotations = 0;
  std::uint64_t tombstones = 0;  // Deletions that are not yet applied to all files.
  std::uint64_t segments = 0;    // Metadata of segments held in memory.
  std::uint64_t commits = 0;     // Object positions of commits, and the segment list.
  std::uint64_t lines = 0;       // The frame cache: lines that the parser knows.
  std::uint64_t past = 0;        // Indexes of open past states.
  std::uint64_t queries = 0;     // Running queries, and answers that wait for their clients.

  std::uint64_t memtables() const { return unflushed + flushed; }
  std::uint64_t total() const { return memtables() + requests + lasting() + queries; }
  // Bytes that memtables and requests may hold before ingest is refused: the rest of the limit, and
  // at least their share.
  std::uint64_t roomToIngest(std::uint64_t limit) const;
  // The value of roomToIngest() after all flushes and queries have ended.
  std::uint64_t mostRoomToIngest(std::uint64_t limit) const;
  // Bytes that queries may hold, computed in the same way.
  std::uint64_t roomToQuery(std::uint64_t limit) const;
  // Bytes for one more past state.
  std::uint64_t roomForPast(std::uint64_t limit) const;

 private:
  // Memory that neither a flush nor the end of a request frees.
  std::uint64_t lasting() const {
    return index + annotations + tombstones + segments + commits + lines + past;
  }
};

// `logged` are the descriptors that the active memtable's flush takes. Any thread.
MemoryUse memoryUseOf(const Sources& sources, const LoggedDescriptors& logged,
                      const EngineFigures& figures);

// Answers that wait for clients may take a quarter of the limit, divided evenly among listener
// threads. Each thread may always hold a few answers.
std::uint64_t unreadBytesMax(std::uint64_t limit, std::uint32_t threads);

// New series are refused from three quarters of the limit on, which leaves the rest to memtables
// and queries. The committer refuses them from seven eighths on, because their bodies were parsed
// while there was room. Small databases work under any limit.
std::uint64_t seriesBytesMax(std::uint64_t limit);
std::uint64_t committedSeriesBytesMax(std::uint64_t limit);
// The rest of `bytesMax` after the index and all other memory that neither a flush nor a compaction
// frees. 0 if a series of the largest size may not fit. Any thread.
std::uint64_t roomForSeries(const Sources& sources, const LedgerFigures& ledger,
                            std::uint64_t bytesMax);
// Adds the memory of a past state to the account that it shares with the database. `own` is what it
// uses once it is open.
void countPast(Sources& sources, const MemoryUse& own);

}  // namespace seriesdb
