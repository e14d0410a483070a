#include "storage/state/memory_use.h"

#include <algorithm>

#include "storage/state/engine_state.h"

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

MemoryUse memoryUseOf(const EngineState& state) {
  MemoryUse use;
  const auto view = state.view.current();
  use.unflushed = view->active->memoryBytes();
  std::uint64_t descriptors = state.activeDescriptors.memoryBytes();
  for (const auto& frozen : view->frozen) {
    use.unflushed += frozen->memtable->memoryBytes();
    descriptors += frozen->descriptors.memoryBytes();
  }
  // The view's memtables may have grown since they were counted.
  use.flushed = state.memory.memtables->bytes();
  use.flushed -= std::min(use.flushed, use.unflushed);
  use.unflushed += descriptors;
  use.requests = state.counters.requestBytes.load(std::memory_order_relaxed);
  use.index = state.index.memoryBytes();
  use.annotations = state.annotations.memoryBytes();
  use.tombstones = view->tombstones.memoryBytes();
  use.segments = state.memory.segments->bytes();
  use.commits = state.ledgerFigures.memoryBytes.load(std::memory_order_relaxed);
  use.lines = state.memory.lines->bytes();
  use.queries = state.memory.queries->bytes() + state.memory.unread->bytes();
  use.past = state.memory.past->bytes() - state.pastHold.bytes();
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

std::uint64_t roomForSeries(const EngineState& state, std::uint64_t bytesMax) {
  constexpr std::uint64_t kRoomMin = std::uint64_t{64} << 10;
  // The current index generation only: a generation being built will replace it.
  const auto index = state.index.current();
  const std::uint64_t taken = index->memoryBytes() + state.annotations.memoryBytes() +
                              state.memory.segments->bytes() +
                              state.ledgerFigures.memoryBytes.load(std::memory_order_relaxed);
  const std::uint64_t room = bytesMax - std::min(bytesMax, taken);
  return room < kRoomMin ? 0 : room;
}

void countPast(EngineState& state) {
  const MemoryUse use = memoryUseOf(state);
  state.pastHold = MemoryHold(state.memory.past);
  state.pastHold.set(use.index + use.annotations + use.tombstones + use.commits);
}

}  // namespace seriesdb
