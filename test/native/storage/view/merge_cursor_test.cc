// The merge of runs: random segments and memtables against a map, read in pieces of any size.
#include "storage/view/merge_cursor.h"

#include <optional>

#include "harness.h"
#include "storage/view/random_sources.h"

using namespace seriesdb;

namespace {

using test::Points;
constexpr SeriesRef kRef = test::kSourcesRef;

void checkMerge(test::RandomSources& sources) {
  const TimeRange range = sources.range();
  const Points expected = sources.expectedIn(range);
  const std::size_t countMax = 1 + sources.random() % 5000;
  MergeCursor cursor(sources.view(), kRef, range);
  EXPECT(cursor.estimatedSamples() >= expected.size());
  std::vector<Timestamp> ts;
  std::vector<double> values;
  for (std::size_t before = SIZE_MAX; before != ts.size();) {
    before = ts.size();
    REQUIRE(cursor.next(countMax, ts, values).ok());
    EXPECT(ts.size() <= before + countMax);
  }
  REQUIRE(ts.size() == expected.size() && values.size() == expected.size());
  std::size_t i = 0;
  for (const auto& [at, value] : expected) {
    REQUIRE(ts[i] == at && values[i] == value);
    ++i;
  }
}

}  // namespace

TEST("a merge returns every timestamp once, in order, with the newest value") {
  for (std::uint64_t round = 0; round < test::rounds(40U); ++round) {
    test::RandomSources sources(test::seed() + round);
    for (int i = 0; i < 6; ++i) checkMerge(sources);
  }
}

TEST("a cursor keeps its sources alive while newer views are published") {
  ViewHolder holder;
  holder.update([](View& view) { view.active = std::make_shared<Memtable>(); });
  const SeriesRef refs[] = {kRef};
  const Timestamp ts[] = {1};
  const double values[] = {2};
  std::optional<PinnedView> first = holder.current();
  (*first)->active->append(refs, ts, values);
  MergeCursor cursor(*first, kRef, {INT64_MIN, INT64_MAX});
  first.reset();
  holder.update([](View& view) { view.active = std::make_shared<Memtable>(); });
  std::vector<Timestamp> readTs;
  std::vector<double> readValues;
  REQUIRE(cursor.next(10, readTs, readValues).ok());
  EXPECT(readTs == std::vector<Timestamp>{1} && readValues == std::vector<double>{2});
}
