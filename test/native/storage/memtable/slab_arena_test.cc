// Buffers of an arena: disjoint, aligned, reused, and counted with their slabs.
#include "storage/memtable/slab_arena.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "harness.h"

using namespace seriesdb;

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

std::byte* take(SlabArena& arena, std::size_t bytes, unsigned char mark) {
  auto* buffer = static_cast<std::byte*>(arena.allocate(bytes));
  std::memset(buffer, mark, bytes);
  return buffer;
}

}  // namespace

TEST("a slab arena takes 1 MiB first, then 2 MiB slabs, and large buffers of their own size") {
  SlabArena arena;
  EXPECT(arena.memoryBytes() == 0);
  take(arena, 64, 1);
  EXPECT(arena.memoryBytes() == kMiB);
  for (std::size_t i = 0; i < 4; ++i) take(arena, kMiB / 4, 2);
  EXPECT(arena.memoryBytes() == 3 * kMiB);
  take(arena, 2 * kMiB, 3);
  EXPECT(arena.memoryBytes() == 5 * kMiB);
}

TEST("buffers of a slab arena keep their content over many slabs, and are recycled") {
  SlabArena arena;
  constexpr std::size_t kSize = std::size_t{64} << 10;
  std::vector<std::byte*> buffers;
  for (std::size_t i = 0; i < 200; ++i) {
    buffers.push_back(take(arena, kSize, static_cast<unsigned char>(i)));
    EXPECT(reinterpret_cast<std::uintptr_t>(buffers.back()) % 16 == 0);
  }
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const std::byte mark{static_cast<unsigned char>(i)};
    EXPECT(std::all_of(buffers[i], buffers[i] + kSize, [mark](std::byte b) { return b == mark; }));
  }
  arena.recycle(buffers[7], kSize);
  EXPECT(arena.allocate(kSize) == buffers[7]);
}

TEST("the figures of blocks count arenas together, and forget nothing but their blocks in use") {
  const auto figures = std::make_shared<BlockFigures>();
  {
    SlabArena one(figures);
    SlabArena other(figures);
    void* const first = one.allocate(64);
    one.allocate(64);
    other.allocate(64);
    one.recycle(first, 64);
    EXPECT(one.allocate(64) == first);
    other.allocate(BlockFigures::kSizeMin);
    other.allocate(BlockFigures::kSizeMax);
    other.allocate(2 * BlockFigures::kSizeMax);
    const auto of64 = figures->all()[2];
    EXPECT(of64.size == 64 && of64.allocations == 4 && of64.inUse == 3 && of64.highWater == 3);
    EXPECT(of64.refills == 3 && of64.slabs == 2);
  }
  for (const auto& one : figures->all()) {
    const bool isEdge = one.size == BlockFigures::kSizeMin || one.size == BlockFigures::kSizeMax;
    EXPECT(one.inUse == 0 && one.allocations == (one.size == 64 ? 4u : isEdge ? 1u : 0u));
  }
}

TEST("the figures of blocks are right when threads with an arena each count at once") {
  const auto figures = std::make_shared<BlockFigures>();
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kBlocks = 2000;
  std::vector<std::thread> threads;
  for (std::size_t at = 0; at < kThreads; ++at) {
    threads.emplace_back([&figures] {
      SlabArena arena(figures);
      for (std::size_t i = 0; i < kBlocks; ++i) arena.allocate(64);
    });
  }
  for (std::thread& one : threads) one.join();
  const auto of64 = figures->all()[2];
  EXPECT(of64.allocations == kThreads * kBlocks && of64.inUse == 0);
}
