#include "storage/state/memory_use.h"

#include <algorithm>

#include "index/logged_descriptors.h"
#include "storage/state/engine_figures.h"
#include "storage/state/sources.h"

namespace seriesdb {
namespace {

// The lowest limit of the memory of series. An index takes a MiB of it before its first series.
constexpr std::uint64_t kSeriesBytesMin = std::uint64_t{2} << 20;

std::uint64_t roomBeside(std::uint64_t others, std::uint64_t limit) {
  return std::max(limit / MemoryUse::kShares, limit - std::min(limit, others));
}

constexpr std::uint64_t kUnreadBytesMin = std::uint64_t{2} << 20;

}  // namespace

std::uint64_t MemoryUse::roomToIngest(std::uint64_t limit) const {
  return roomBeside(total() - unflushed - requests, limit);
}

std::uint64_t MemoryUse::mostRoomToIngest(std::uint64_t limit) const {
  return roomBeside(lasting(), limit);
}

std::uint64_t MemoryUse::roomToQuery(std::uint64_t limit) const {
  return roomBeside(total() - queries, limit);
}

std::uint64_t MemoryUse::roomForPast(std::uint64_t limit) const {
  const std::uint64_t room = roomBeside(total() - past, limit);
  return room - std::min(room, past);
}

MemoryUse memoryUseOf(const Sources& sources, const LoggedDescriptors& logged,
                      const EngineFigures& figures) {
  MemoryUse use;
  const auto view = sources.view.current();
  use.unflushed = view->active->memoryBytes();
  std::uint64_t descriptors = logged.memoryBytes();
  for (const auto& frozen : view->frozen) {
    use.unflushed += frozen->memtable->memoryBytes();
    descriptors += frozen->descriptors.memoryBytes();
  }
  // The view's memtables may have grown since they were counted.
  use.flushed = sources.memory.memtables->bytes();
  use.flushed -= std::min(use.flushed, use.unflushed);
  use.unflushed += descriptors;
  use.requests = figures.counters.requestBytes.load(std::memory_order_relaxed);
  use.index = sources.index.memoryBytes();
  use.annotations = sources.annotations.memoryBytes();
  use.tombstones = view->tombstones.memoryBytes();
  use.segments = sources.memory.segments->bytes();
  use.commits = figures.ledger.memoryBytes.load(std::memory_order_relaxed);
  use.lines = sources.memory.lines->bytes();
  use.queries = sources.memory.queries->bytes() + sources.memory.unread->bytes();
  use.past = sources.memory.past->bytes() - sources.pastHold.bytes();
  return use;
}

std::uint64_t unreadBytesMax(std::uint64_t limit, std::uint32_t threads) {
  return std::max(kUnreadBytesMin, limit / 4 / std::max<std::uint32_t>(threads, 1));
}

std::uint64_t seriesBytesMax(std::uint64_t limit) {
  return std::max(kSeriesBytesMin, limit / 4 * 3);
}

std::uint64_t committedSeriesBytesMax(std::uint64_t limit) {
  return std::max(kSeriesBytesMin, limit / 8 * 7);
}

std::uint64_t roomForSeries(const Sources& sources, const LedgerFigures& ledger,
                            std::uint64_t bytesMax) {
  constexpr std::uint64_t kRoomMin = std::uint64_t{64} << 10;
  // The current index generation only: a generation being built will replace it.
  const auto index = sources.index.current();
  const std::uint64_t taken = index->memoryBytes() + sources.annotations.memoryBytes() +
                              sources.memory.segments->bytes() +
                              ledger.memoryBytes.load(std::memory_order_relaxed);
  const std::uint64_t room = bytesMax - std::min(bytesMax, taken);
  return room < kRoomMin ? 0 : room;
}

void countPast(Sources& sources, const MemoryUse& own) {
  sources.pastHold = MemoryHold(sources.memory.past);
  sources.pastHold.set(own.index + own.annotations + own.tombstones + own.commits);
}

}  // namespace seriesdb
