// The pool against a model: blocks keep their bytes, never overlap, and are counted.
#include "storage/memtable/small_pool.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "harness.h"

using namespace seriesdb;

namespace {

struct Held {
  std::byte* block;
  std::size_t size;
  unsigned char mark;
};

Held take(SmallPool& pool, std::size_t size, unsigned char mark) {
  auto* block = static_cast<std::byte*>(pool.allocate(size));
  std::memset(block, mark, size);
  return {block, size, mark};
}

bool isIntact(const Held& held) {
  return std::all_of(held.block, held.block + held.size,
                     [&](std::byte one) { return one == std::byte{held.mark}; });
}

std::size_t sizeFrom(std::mt19937_64& random) {
  return 1 + random() % (std::size_t{1} << (random() % 16));
}

}  // namespace

TEST("blocks of a pool keep their content, are aligned and are counted") {
  std::mt19937_64 random(test::seed());
  SmallPool pool;
  std::vector<Held> held;
  std::map<std::size_t, std::uint64_t> allocations;
  std::map<std::size_t, std::uint64_t> inUse;
  std::map<std::size_t, std::uint64_t> highWater;
  for (int step = 0; step < 60'000; ++step) {
    // The pool grows and shrinks in turn.
    const bool grows = random() % 8 < (step / 5000 % 2 == 0 ? 5 : 3);
    if (grows || held.empty()) {
      const std::size_t size = std::min(sizeFrom(random), SmallPool::kSizeMax);
      held.push_back(take(pool, size, static_cast<unsigned char>(random())));
      EXPECT(reinterpret_cast<std::uintptr_t>(held.back().block) % 16 == 0);
      const std::size_t blockSize = std::max(SmallPool::kSizeMin, std::bit_ceil(size));
      ++allocations[blockSize];
      highWater[blockSize] = std::max(highWater[blockSize], ++inUse[blockSize]);
    } else {
      std::swap(held[random() % held.size()], held.back());
      REQUIRE(isIntact(held.back()));
      pool.release(held.back().block, held.back().size);
      --inUse[std::max(SmallPool::kSizeMin, std::bit_ceil(held.back().size))];
      held.pop_back();
    }
  }
  for (const auto& one : pool.figures()) {
    EXPECT(one.allocations == allocations[one.size]);
    EXPECT(one.inUse == inUse[one.size]);
    EXPECT(one.highWater == highWater[one.size]);
    EXPECT(one.slabs * SmallPool::kSlabSize >= one.highWater * one.size);
    EXPECT(one.refills >= one.slabs && one.refills <= one.highWater);
  }
  for (const Held& one : held) EXPECT(isIntact(one));
}

TEST("released blocks are reused before a new slab is taken") {
  SmallPool pool;
  for (int round = 0; round < 5; ++round) {
    std::vector<void*> blocks;
    for (int i = 0; i < 10'000; ++i) blocks.push_back(pool.allocate(128));
    std::sort(blocks.begin(), blocks.end());
    EXPECT(std::adjacent_find(blocks.begin(), blocks.end()) == blocks.end());
    for (void* block : blocks) pool.release(block, 128);
  }
  const auto figures = pool.figures()[3];
  EXPECT(figures.size == 128 && figures.allocations == 50'000 && figures.inUse == 0);
  EXPECT(figures.highWater == 10'000);
  EXPECT(figures.slabs == (10'000 * 128 + SmallPool::kSlabSize - 1) / SmallPool::kSlabSize);
}

TEST("sizes at the edges of a class, and the smallest and largest block, are allocated") {
  SmallPool pool;
  for (const std::size_t size : {1ul, 16ul, 17ul, 32ul, 32767ul, 32768ul}) {
    const Held held = take(pool, size, 7);
    EXPECT(isIntact(held));
    pool.release(held.block, held.size);
  }
  const auto figures = pool.figures();
  EXPECT(figures[0].allocations == 2 && figures[1].allocations == 2);
  EXPECT(figures[SmallPool::kClassCount - 1].allocations == 2);
}

TEST("threads that pass blocks to each other lose none and share none") {
  SmallPool pool;
  std::mutex mutex;
  std::vector<Held> shared;
  std::vector<std::thread> threads;
  std::atomic<int> damaged{0};
  const std::uint64_t seed = test::seed();
  for (unsigned thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      std::mt19937_64 random(seed + thread);
      for (int step = 0; step < 20'000; ++step) {
        Held held = take(pool, 1 + random() % 600, static_cast<unsigned char>(random()));
        {
          const std::lock_guard lock(mutex);
          shared.push_back(held);
          if (shared.size() < 50) continue;
          std::swap(shared[random() % shared.size()], shared.back());
          held = shared.back();
          shared.pop_back();
        }
        if (!isIntact(held)) ++damaged;
        pool.release(held.block, held.size);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT(damaged == 0);
  std::uint64_t out = 0;
  for (const auto& one : pool.figures()) out += one.inUse;
  EXPECT(out == shared.size());
}
