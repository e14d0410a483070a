// Strips of samples against a map, in any order of arrival, and read while they grow.
#include "storage/memtable/memtable.h"

#include <atomic>
#include <map>
#include <optional>
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
void checkAgainstModel(std::shared_ptr<BlockFigures> blocks) {
  std::mt19937_64 random(test::seed());
  Memtable memtable(std::move(blocks));
  std::map<SeriesRef, Points> all;
  std::map<SeriesRef, std::uint64_t> counts;
  std::uint64_t total = 0;
  for (int round = 0; round < 60; ++round) {
    std::vector<SeriesRef> refs;
    std::vector<Timestamp> ts;
    std::vector<double> values;
    for (std::uint64_t i = 0; i < random() % 9000; ++i) {
      // References on several pages, with unused pages between them.
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

TEST("a memtable returns samples in time order, with the last value of equal timestamps") {
  checkAgainstModel(nullptr);
}

TEST("a memtable whose blocks are counted holds the same samples, and returns all its blocks") {
  const auto blocks = std::make_shared<BlockFigures>();
  checkAgainstModel(blocks);
  std::uint64_t allocations = 0;
  for (const auto& one : blocks->all()) {
    allocations += one.allocations;
    EXPECT(one.inUse == 0);
  }
  EXPECT(allocations > 100);
  EXPECT(blocks.use_count() == 1);
}

TEST("samples of a series that arrived in order can be read in parts") {
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

TEST("a series without samples reads as empty, for any ref") {
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

TEST("a visit of all series ends when the visitor asks") {
  Memtable memtable;
  const SeriesRef refs[] = {0, 1, 2000};
  const Timestamp ts[] = {1, 1, 1};
  const double values[] = {1, 1, 1};
  memtable.append(refs, ts, values);
  int visits = 0;
  memtable.forEachSeries([&](SeriesRef, std::span<const Sample>) { return ++visits < 2; });
  EXPECT(visits == 2);
}

TEST("a reader beside the writer sees a prefix of the arrivals, in order") {
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

// If a strip has no counted samples, readers skip it.
TEST("a reader beside the writer never sees more samples than are counted") {
  constexpr std::size_t kRounds = 50;
  // Samples arrive in several batches; the first is visible before the last is there.
  const std::vector<SeriesRef> refs(100'000, 1);
  const std::vector<Timestamp> ts(refs.size(), 2);
  const std::vector<double> values(refs.size(), 3);
  for (std::size_t round = 0; round < kRounds; ++round) {
    Memtable memtable;
    std::thread writer([&] { memtable.append(refs, ts, values); });
    while (memtable.markOf(1).count == 0) std::this_thread::yield();
    EXPECT(memtable.sampleCount() >= memtable.markOf(1).count);
    writer.join();
  }
}

TEST("erased samples of many series are invisible before and after the erasure is applied") {
  std::mt19937_64 random(test::seed());
  constexpr SeriesRef kSeries = 300;
  Memtable memtable;
  std::map<SeriesRef, Points> all;
  const auto check = [&](SeriesRef ref) {
    std::vector<Sample> samples;
    const auto from = static_cast<Timestamp>(random() % 60);
    EXPECT(!memtable.read(ref, {{from, 80}, SIZE_MAX}, samples));
    const Points& points = all[ref];
    EXPECT(isSame(samples, {points.lower_bound(from), points.upper_bound(80)}));
    const Memtable::Extent extent = memtable.extentOf(ref);
    EXPECT(extent.count >= points.size());
    if (points.empty() || extent.count == 0) return;
    EXPECT(extent.range.start <= points.begin()->first);
    EXPECT(extent.range.end >= points.rbegin()->first);
  };
  for (int round = 0; round < 400; ++round) {
    std::vector<SeriesRef> refs;
    std::vector<Timestamp> ts;
    std::vector<double> values;
    for (std::uint64_t i = 0; i < random() % 500; ++i) {
      refs.push_back(static_cast<SeriesRef>(random() % kSeries));
      // Samples of even series arrive in order.
      ts.push_back(refs.back() % 2 == 0 ? round % 100 : static_cast<Timestamp>(random() % 100));
      values.push_back(static_cast<double>(random() % 9));
      all[refs.back()][ts.back()] = values.back();
    }
    memtable.append(refs, ts, values);
    if (random() % 3 == 0) {
      auto tombstone = std::make_shared<Tombstone>();
      for (SeriesRef ref = 0; ref < kSeries; ++ref) {
        if (random() % 3 > 0) tombstone->refs.push_back(ref);
      }
      const auto start = static_cast<Timestamp>(random() % 100);
      tombstone->range = {start, start + static_cast<Timestamp>(random() % 40)};
      for (const SeriesRef ref : tombstone->refs) {
        Points& points = all[ref];
        points.erase(points.lower_bound(start), points.upper_bound(tombstone->range.end));
      }
      memtable.erase(std::move(tombstone));
    }
    if (random() % 4 == 0) static_cast<void>(memtable.carryOut());
    for (int i = 0; i < 20; ++i) check(static_cast<SeriesRef>(random() % kSeries));
  }
  std::map<SeriesRef, Points> visited;
  memtable.forEachSeries([&](SeriesRef ref, std::span<const Sample> found) {
    EXPECT(isSame(found, all[ref]));
    visited[ref];
    return true;
  });
  for (const auto& [ref, points] : all) EXPECT(visited.contains(ref) == !points.empty());
  while (memtable.carryOut()) continue;
  for (SeriesRef ref = 0; ref < kSeries; ++ref) check(ref);
}

TEST("an erasure of a few long strips is deferred if it must move many samples") {
  constexpr Timestamp kLength = 40'000;
  const std::vector<SeriesRef> all{3, 4, 5};
  Memtable memtable;
  for (Timestamp ts = 0; ts < kLength; ++ts) {
    memtable.append(all, std::vector<Timestamp>(all.size(), ts), std::vector<double>{1, 2, 3});
  }
  const auto erase = [&](TimeRange range) {
    auto tombstone = std::make_shared<Tombstone>();
    tombstone->refs = all;
    tombstone->range = range;
    memtable.erase(std::move(tombstone));
  };
  const auto expectLeft = [&] {
    std::vector<Sample> samples;
    for (const SeriesRef ref : all) {
      EXPECT(!memtable.read(ref, {{INT64_MIN, INT64_MAX}, SIZE_MAX}, samples));
      EXPECT(samples.size() == kLength - 20);
      EXPECT(samples.front().ts == 10 && samples.back().ts == kLength - 11);
    }
  };
  // No samples lie behind these ranges, or in them.
  erase({kLength - 10, kLength});
  erase({-20, -1});
  EXPECT(memtable.sampleCount() == all.size() * (kLength - 10));
  EXPECT(!memtable.carryOut());
  // All remaining samples lie behind this range.
  erase({0, 9});
  expectLeft();
  EXPECT(memtable.carryOut());
  EXPECT(!memtable.carryOut());
  EXPECT(memtable.sampleCount() == all.size() * (kLength - 20));
  expectLeft();
}

TEST("a strip mark gives the bounds of later samples, and detects erasures") {
  Memtable memtable;
  std::vector<SeriesRef> refs(200);
  for (SeriesRef ref = 0; ref < refs.size(); ++ref) refs[ref] = ref;
  const std::vector<double> values(refs.size(), 1);
  memtable.append(refs, std::vector<Timestamp>(refs.size(), 10), values);
  const Memtable::StripMark mark = memtable.markOf(7);
  std::optional<TimeRange> bounds;
  EXPECT(memtable.widenSince(7, mark, bounds) && !bounds);
  memtable.append(refs, std::vector<Timestamp>(refs.size(), 30), values);
  memtable.append(refs, std::vector<Timestamp>(refs.size(), 20), values);
  EXPECT(memtable.widenSince(7, mark, bounds) && bounds->start == 20 && bounds->end == 30);
  EXPECT(memtable.widenSince(999, memtable.markOf(999), bounds) && bounds->end == 30);
  for (const bool isMany : {true, false}) {
    const Memtable::StripMark before = memtable.markOf(7);
    auto tombstone = std::make_shared<Tombstone>();
    tombstone->refs = isMany ? refs : std::vector<SeriesRef>{7};
    tombstone->range = isMany ? TimeRange{30, 30} : TimeRange{10, 10};
    memtable.erase(std::move(tombstone));
    EXPECT(!memtable.widenSince(7, before, bounds));
    while (memtable.carryOut()) continue;
    EXPECT(!memtable.widenSince(7, before, bounds));
    EXPECT(memtable.widenSince(7, memtable.markOf(7), bounds));
  }
}

TEST("mayHold tells exactly whether a memtable has samples of a deletion") {
  constexpr SeriesRef kSeries = 12;
  std::mt19937_64 random(test::seed());
  Memtable memtable;
  std::map<SeriesRef, Points> all;
  bool seen[2] = {};
  EXPECT(!memtable.mayHold({{0, 1}, {INT64_MIN, INT64_MAX}, 1}));
  for (int round = 0; round < 2000; ++round) {
    const auto ref = static_cast<SeriesRef>(random() % kSeries);
    // Half of the series arrive in order; the last has none.
    const auto ts = static_cast<Timestamp>(ref % 2 == 0 ? round : random() % 2000);
    if (ref + 1 < kSeries) {
      memtable.append(std::vector{ref}, std::vector{ts}, std::vector{1.0});
      all[ref][ts] = 1;
    }
    Tombstone tombstone;
    for (SeriesRef one = 0; one < kSeries; ++one) {
      if (random() % 4 == 0) tombstone.refs.push_back(one);
    }
    const auto start = static_cast<Timestamp>(random() % 2000);
    tombstone.range = {start, start + static_cast<Timestamp>(random() % 20)};
    const bool holds =
        std::any_of(tombstone.refs.begin(), tombstone.refs.end(), [&](SeriesRef one) {
          const auto at = all[one].lower_bound(start);
          return at != all[one].end() && at->first <= tombstone.range.end;
        });
    seen[holds ? 1 : 0] = true;
    EXPECT(memtable.mayHold(tombstone) == holds);
    if (random() % 8 != 0 || tombstone.refs.empty()) continue;
    for (const SeriesRef one : tombstone.refs) {
      Points& points = all[one];
      points.erase(points.lower_bound(start), points.upper_bound(tombstone.range.end));
    }
    memtable.erase(std::make_shared<Tombstone>(tombstone));
    EXPECT(!memtable.mayHold(tombstone));
  }
  EXPECT(seen[0] && seen[1]);
}

TEST("mayHold of a costly deletion answers true, unless the memtable is empty") {
  constexpr std::size_t kMany = 70'000;
  Tombstone many;
  for (SeriesRef ref = 1; ref <= kMany; ++ref) many.refs.push_back(ref);
  many.range = {0, 10};
  Memtable memtable;
  EXPECT(!memtable.mayHold(many));
  // A sample of a series that the erasure does not name.
  memtable.append(std::vector<SeriesRef>{0}, std::vector<Timestamp>{5}, std::vector{1.0});
  EXPECT(memtable.mayHold(many));
  EXPECT(!memtable.mayHold({{1, 2}, {0, 10}, 1}));
  // A strip out of order is scanned, up to a number of samples; one in order is not.
  for (const bool isInOrder : {true, false}) {
    const SeriesRef ref = isInOrder ? 1 : 2;
    std::vector<Timestamp> ts;
    for (std::size_t i = 0; i < kMany; ++i) ts.push_back(static_cast<Timestamp>(100 + i));
    if (!isInOrder) std::swap(ts.front(), ts.back());
    memtable.append(std::vector(kMany, ref), ts, std::vector(kMany, 1.0));
    EXPECT(memtable.mayHold({{ref}, {0, 10}, 1}) == !isInOrder);
  }
}
