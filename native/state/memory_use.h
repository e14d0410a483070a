// What an open engine holds in memory, by part, and what of `memory_limit_bytes` that leaves.
//
// Each part counts itself as it grows and shrinks, so that a look costs less than a microsecond and
// is taken for each piece of a request. Only what grows with data or requests is counted: not the
// buffers of a fixed size, not the heap of JavaScript, and not the pages of mapped files, which the
// system takes back when it wants to.
#pragma once

#include <cstdint>
#include <memory>

#include "base/memory_account.h"

namespace seriesdb {

struct EngineState;

// What counts itself. Shared, because readers may keep a memtable or a segment longer than the
// engine lives.
struct MemoryAccounts {
  using Account = std::shared_ptr<MemoryAccount>;

  Account memtables = std::make_shared<MemoryAccount>();
  Account segments = std::make_shared<MemoryAccount>();
  Account lines = std::make_shared<MemoryAccount>();
  Account queries = std::make_shared<MemoryAccount>();
  // Answers that wait for their clients.
  Account unread = std::make_shared<MemoryAccount>();
  // Of states of the past that are open beside the database, what the others do not have.
  Account past = std::make_shared<MemoryAccount>();
};

struct MemoryUse {
  // Every part may always have an eighth of the limit, so that neither a large index nor a large
  // query keeps ingest out for ever, nor ingest all queries.
  static constexpr std::uint64_t kShares = 8;

  // What a flush frees: the active memtable, frozen ones, descriptors that only the log has.
  std::uint64_t unflushed = 0;
  std::uint64_t flushed = 0;    // Those that only readers still hold, or that are being freed.
  std::uint64_t requests = 0;   // Ingest requests that are parsed, or wait for the log.
  std::uint64_t index = 0;      // Of series.
  std::uint64_t annotations = 0;
  std::uint64_t tombstones = 0;  // Of deletions that are not yet carried out everywhere.
  std::uint64_t segments = 0;    // What is known of each without a look into its file.
  std::uint64_t commits = 0;     // The description of the database, and where its objects lie.
  std::uint64_t lines = 0;       // Lines that the parser knows.
  std::uint64_t past = 0;        // The indexes of states of the past that are open beside it.
  std::uint64_t queries = 0;     // That run, and answers that wait for their clients.

  std::uint64_t memtables() const { return unflushed + flushed; }
  std::uint64_t total() const { return memtables() + requests + lasting() + queries; }
  // Bytes that memtables and requests may hold before more is refused: what the others leave, and
  // at least their share.
  std::uint64_t roomToIngest(std::uint64_t limit) const;
  // The same for queries.
  std::uint64_t roomToQuery(std::uint64_t limit) const;
  // What is left for one more state of the past.
  std::uint64_t roomForPast(std::uint64_t limit) const;

 private:
  // What neither a flush nor the end of a request frees.
  std::uint64_t lasting() const {
    return index + annotations + tombstones + segments + commits + lines + past;
  }
};

// Any thread.
MemoryUse memoryUseOf(const EngineState& state);

// Answers that wait for clients may take a quarter of the limit, in even parts for each thread that
// has connections. One thread may always have as much as a few answers take.
std::uint64_t unreadBytesMax(std::uint64_t limit, std::uint32_t threads);

// New series are refused from three quarters of the limit on, so that memtables and queries have
// the rest. The committer, which takes what was parsed while there was room, refuses from seven
// eighths on. A database of few series is whole under any limit.
std::uint64_t seriesBytesMax(std::uint64_t limit);
std::uint64_t committedSeriesBytesMax(std::uint64_t limit);
// What is left of `bytesMax` beside the index and all else that neither a flush nor a compaction
// frees. 0 where a series of the largest size may not fit. Any thread.
std::uint64_t roomForSeries(const EngineState& state, std::uint64_t bytesMax);
// Counts what the state has by itself where others count with it, once it is open.
void countPast(EngineState& state);

}  // namespace seriesdb
