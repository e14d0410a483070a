// Rows of samples against a map, in any order of arrival, and read while they grow.
#include "memtable/memtable.h"

#include <atomic>
#include <map>
#include <random>
#include <thread>

#include "harness.h"

using namespace seriesdb;

namespace {

using Points = std::map<Timestamp, double>;

bool isSame(std::span<const Sample> found, const Points& expected) {
  return std::equal(
      found.begin(), found.end(), expected.begin(), expected.end(),
      [](const Sample& a, const auto& b) { return a.ts == b.first && a.value == b.second; });
}

// Random arrivals against a map.
void checkAgainstModel(std::shared_ptr<SmallPool> pool) {
  std::mt19937_64 random(test::seed());
  Memtable memtable(std::move(pool));
  std::map<SeriesRef, Points> all;
  std::map<SeriesRef, std::uint64_t> counts;
  std::uint64_t total = 0;
  for (int round = 0; round < 60; ++round) {
    std::vector<SeriesRef> refs;
    std::vector<Timestamp> ts;
    std::vector<double> values;
    for (std::uint64_t i = 0; i < random() % 9000; ++i) {
      // Refs of several pages, with pages between that nobody uses.
      const auto ref = static_cast<SeriesRef>(random() % 20 * 700);
      const auto any = static_cast<Timestamp>(random() % 2000);
      const bool isOrdered = ref % 1400 == 0;
      refs.push_back(ref);
      ts.push_back(isOrdered ? static_cast<Timestamp>(total) : any == 0 ? INT64_MIN : any);
      values.push_back(static_cast<double>(random() % 100));
      all[ref][ts.back()] = values.back();
      counts[ref] += 1;
      total += 1;
    }
    memtable.append(refs, ts, values);
  }
  EXPECT(memtable.sampleCount() == total);
  EXPECT(memtable.memoryBytes() >= total * sizeof(Sample));
  std::vector<Sample> samples;
  for (const auto& [ref, points] : all) {
    EXPECT(memtable.sampleCountOf(ref) == counts[ref]);
    EXPECT(!memtable.read(ref, {{INT64_MIN, INT64_MAX}, SIZE_MAX}, samples));
    EXPECT(isSame(samples, points));
    EXPECT(!memtable.read(ref, {{500, 999}, SIZE_MAX}, samples));
    EXPECT(isSame(samples, {points.lower_bound(500), points.upper_bound(999)}));
  }
  std::map<SeriesRef, Points> visited;
  SeriesRef before = 0;
  memtable.forEachSeries([&](SeriesRef ref, std::span<const Sample> found) {
    EXPECT(visited.empty() || ref > before);
    before = ref;
    for (const Sample& one : found) visited[ref][one.ts] = one.value;
    EXPECT(isSame(found, all[ref]));
    return true;
  });
  EXPECT(visited == all);
}

}  // namespace

TEST("a memtable gives each series its samples in order, the last arrival of equal timestamps") {
  checkAgainstModel(nullptr);
}

TEST("a memtable over a pool holds the same, and gives all of it back at its end") {
  const auto pool = std::make_shared<SmallPool>();
  checkAgainstModel(pool);
  std::uint64_t allocations = 0;
  for (const auto& one : pool->figures()) {
    allocations += one.allocations;
    EXPECT(one.inUse == 0);
  }
  EXPECT(allocations > 100);
  EXPECT(pool.use_count() == 1);
}

TEST("a long row that arrived in order is read in parts") {
  Memtable memtable;
  for (Timestamp ts = 0; ts < 10; ++ts) {
    const SeriesRef ref = 0;
    const double value = 1;
    memtable.append({&ref, 1}, {&ts, 1}, {&value, 1});
  }
  std::vector<Sample> samples{{99, 99}};
  EXPECT(memtable.read(0, {{2, 8}, 4}, samples));
  EXPECT(isSame(samples, {{2, 1}, {3, 1}, {4, 1}, {5, 1}}));
  EXPECT(!memtable.read(0, {{6, 8}, 3}, samples));
  EXPECT(isSame(samples, {{6, 1}, {7, 1}, {8, 1}}));
  EXPECT(!memtable.read(0, {{11, 12}, 3}, samples));
  EXPECT(samples.empty());
}

TEST("a series that has no samples reads as empty, whatever its ref") {
  Memtable memtable;
  std::vector<Sample> samples{{1, 1}};
  EXPECT(!memtable.read(0, {{INT64_MIN, INT64_MAX}, 10}, samples));
  EXPECT(samples.empty());
  const SeriesRef ref = 5000;
  const Timestamp ts = 1;
  const double value = 1;
  memtable.append({&ref, 1}, {&ts, 1}, {&value, 1});
  for (const SeriesRef other : {SeriesRef{0}, SeriesRef{4999}, SeriesRef{0x7fffffff}}) {
    EXPECT(memtable.sampleCountOf(other) == 0);
    EXPECT(!memtable.read(other, {{INT64_MIN, INT64_MAX}, 10}, samples));
  }
  int visits = 0;
  memtable.forEachSeries([&](SeriesRef, std::span<const Sample>) { return ++visits < 1; });
  EXPECT(visits == 1);
}

TEST("a visit ends when the visitor says so") {
  Memtable memtable;
  const SeriesRef refs[] = {0, 1, 2000};
  const Timestamp ts[] = {1, 1, 1};
  const double values[] = {1, 1, 1};
  memtable.append(refs, ts, values);
  int visits = 0;
  memtable.forEachSeries([&](SeriesRef, std::span<const Sample>) { return ++visits < 2; });
  EXPECT(visits == 2);
}

TEST("a reader beside the writer sees a prefix of what arrives, in order") {
  Memtable memtable;
  constexpr Timestamp kCount = 200'000;
  std::thread writer([&memtable] {
    const std::vector<SeriesRef> refs(100, 1);
    const std::vector<double> values(100, 2);
    std::vector<Timestamp> ts(100);
    for (Timestamp at = 0; at < kCount; at += 100) {
      for (Timestamp i = 0; i < 100; ++i) ts[static_cast<std::size_t>(i)] = at + i;
      memtable.append(refs, ts, values);
    }
  });
  std::size_t before = 0;
  std::vector<Sample> samples;
  while (before < kCount) {
    EXPECT(!memtable.read(1, {{INT64_MIN, INT64_MAX}, SIZE_MAX}, samples));
    EXPECT(samples.size() >= before);
    EXPECT(samples.empty() || samples.back().ts + 1 == static_cast<Timestamp>(samples.size()));
    before = samples.size();
  }
  writer.join();
}
