#include "query/cell_order.h"

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "harness.h"
#include "query/expression/bucket.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

constexpr std::size_t kKeys = 4;  // One of the keys is the bucket.

struct Case {
  AggregatePlan plan;
  GroupIndex groups;
  std::vector<GroupCell> cells;
};

Case randomCase(std::mt19937_64& random, std::int64_t first, std::int64_t span) {
  Case made;
  const std::size_t bucketAt = random() % kKeys;
  made.plan.bucket = {1'000, 0};
  // Cells as a query produces them: distinct, and ascending by the codes of their keys.
  std::set<std::vector<std::uint32_t>> tuples;
  for (std::uint64_t i = 1 + random() % 40; i > 0; --i) {
    std::vector<std::uint32_t> tuple;
    for (std::size_t key = 0; key + 1 < kKeys; ++key) {
      tuple.push_back(random() % 8 == 0 ? KeyColumn::kMissing : random() % 5);
    }
    tuples.insert(tuple);
  }
  made.groups.groupCount = static_cast<std::uint32_t>(tuples.size());
  for (std::size_t key = 0, at = 0; key < kKeys; ++key) {
    const bool isBucket = key == bucketAt;
    made.plan.keys.push_back({isBucket ? KeyKind::kBucket : KeyKind::kLabel, "k"});
    auto& codes = made.groups.keys.emplace_back().codes;
    if (isBucket) continue;
    for (const auto& tuple : tuples) codes.push_back(tuple[at]);
    ++at;
  }
  std::set<std::pair<std::uint32_t, std::int64_t>> cells;
  for (std::uint64_t i = random() % 300; i > 0; --i) {
    const auto bucket = first + static_cast<std::int64_t>(random() % std::uint64_t(span));
    cells.emplace(random() % made.groups.groupCount, bucket);
  }
  for (const auto& [group, bucket] : cells) {
    GroupCell& cell = made.cells.emplace_back();
    cell.group = group;
    cell.bucket = bucket;
  }
  std::shuffle(made.cells.begin(), made.cells.end(), random);
  return made;
}

}  // namespace

TEST("rows are sorted by each key in turn, for any key order and buckets near or far apart") {
  std::mt19937_64 random(seed());
  // Buckets that are adjacent, far apart, or before all time and so without a start.
  const std::int64_t lowest = bucketOf({1'000, 0}, INT64_MIN);
  const std::pair<std::int64_t, std::int64_t> reaches[] = {
      {-3, 7}, {-1'000'000, 1 << 21}, {lowest, 3}};
  for (std::uint64_t round = 0; round < rounds(std::uint64_t{300}); ++round) {
    const auto [first, span] = reaches[round % 3];
    Case one = randomCase(random, first, span);
    std::vector<std::uint32_t> order{0, 1, 2, 3};
    std::shuffle(order.begin(), order.end(), random);
    const auto wordsOf = [&](std::uint32_t row) {
      std::vector<std::uint64_t> words;
      for (const std::uint32_t key : order) {
        const bool isBucket = one.plan.keys[key].kind == KeyKind::kBucket;
        const auto& codes = one.groups.keys[key].codes;
        words.push_back(isBucket ? bucketWord(*one.plan.bucket, one.cells[row].bucket)
                                 : codes[one.cells[row].group]);
      }
      return words;
    };
    const auto rows = orderCells(one.plan, one.groups, one.cells, order);
    REQUIRE(rows.size() == one.cells.size());
    for (std::size_t i = 1; i < rows.size(); ++i) {
      EXPECT(wordsOf(rows[i - 1]) < wordsOf(rows[i]));
    }
  }
}

TEST("buckets sort by their start, and a bucket without a start sorts last") {
  const BucketSpec spec{1'000, 0};
  const std::int64_t lowest = bucketOf(spec, INT64_MIN);
  EXPECT(!hasStart(spec, lowest) && bucketWord(spec, lowest) == UINT64_MAX);
  EXPECT(bucketWord(spec, lowest + 1) < bucketWord(spec, -1));
  EXPECT(bucketWord(spec, -1) + 1 == bucketWord(spec, 0));
}
