// Column reads of series from random sources, against a map.
#include "query/samples/column_reader.h"

#include "format/segment/segment_chunks.h"
#include "harness.h"
#include "storage/view/random_sources.h"

using namespace seriesdb;

namespace {

constexpr SeriesRef kRef = test::kSourcesRef;
constexpr SeriesRef kNone = ColumnReader::kNoSeries;

struct Columns {
  std::vector<test::Points> series;  // By place in the requested list.
  bool isAscending = true;
};

Columns readAll(ColumnReader& reader, std::size_t seriesCount) {
  Columns columns;
  columns.series.resize(seriesCount);
  ColumnBatch batch;
  do {
    if (!reader.next(batch).ok()) return {};
    std::size_t at = 0;
    for (std::size_t i = 0; i < batch.series.size(); ++i) {
      for (; at < batch.ends[i]; ++at) {
        test::Points& points = columns.series[batch.series[i]];
        if (!points.empty() && points.rbegin()->first >= batch.ts[at]) columns.isAscending = false;
        points[batch.ts[at]] = batch.values[at];
      }
    }
  } while (!batch.ts.empty());
  return columns;
}

std::uint64_t countIn(const TimeSlice& slice) {
  std::uint64_t count = 0;
  for (const Segment* segment : slice.segments) count += test::chunksOf(*segment, kRef).size();
  return count;
}

}  // namespace

TEST("columns hold every sample of every requested series, in the requested order") {
  for (std::uint64_t round = 0; round < 40; ++round) {
    test::RandomSources sources(test::seed() + round);
    const TimeRange range = sources.range();
    const test::Points expected = sources.expectedIn(range);
    ColumnReader reader(sources.view(), {kNone, kRef, kRef + 7, kRef}, range);
    const Columns columns = readAll(reader, 4);
    REQUIRE(columns.isAscending && columns.series.size() == 4);
    EXPECT(columns.series[0].empty() && columns.series[2].empty());
    EXPECT(columns.series[1] == expected && columns.series[3] == expected);
    const QueryStats& stats = reader.stats();
    EXPECT(stats.seriesScanned == 3 && stats.rowsScanned == 2 * expected.size());
    const std::uint64_t chunkCount = countIn(sliceOf(*sources.view(), range));
    EXPECT(stats.chunksScanned + stats.chunksSkipped == 2 * chunkCount);
  }
}

TEST("stretches do not overlap, and together cover the samples of a range") {
  for (std::uint64_t round = 0; round < 60; ++round) {
    test::RandomSources sources(test::seed() + 1000 + round);
    const TimeRange range = sources.range();
    std::vector<Stretch> stretches;
    SeriesChunks chunks;
    SeriesSources captured;
    findChunks(*sources.view(), {&kRef, 1}, range, chunks);
    captured.capture(*sources.view(), chunks, range);
    findStretches(captured, stretches);
    test::Points left = sources.expectedIn(range);
    for (std::size_t i = 0; i < stretches.size(); ++i) {
      REQUIRE(stretches[i].range.start <= stretches[i].range.end);
      REQUIRE(i == 0 || stretches[i - 1].range.end < stretches[i].range.start);
      const auto begin = left.lower_bound(stretches[i].range.start);
      const auto end = left.upper_bound(stretches[i].range.end);
      REQUIRE(static_cast<std::uint64_t>(std::distance(begin, end)) <= stretches[i].sampleCountMax);
      left.erase(begin, end);
    }
    EXPECT(left.empty());
  }
}

TEST("slices from the end cover a range without overlap, with the stretches of all sources") {
  for (std::uint64_t round = 0; round < 60; ++round) {
    test::RandomSources sources(test::seed() + 3000 + round);
    const TimeRange range = sources.range();
    test::Points left = sources.expectedIn(range);
    Timestamp end = range.end;
    std::vector<Stretch> stretches;
    const std::vector<TimeSlice> slices = slicesFromEnd(*sources.view(), range);
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const TimeSlice& slice = slices[i];
      REQUIRE(slice.range.end == end && slice.range.start <= end);
      if (i + 1 < slices.size()) end = slice.range.start - 1;
      SeriesChunks chunks;
      locateChunks(slice, {&kRef, 1}, chunks);
      SeriesSources captured;
      captured.capture(*sources.view(), chunks, slice.range);
      findStretches(captured, stretches);
      for (const Stretch& stretch : stretches) {
        REQUIRE(slice.range.start <= stretch.range.start && stretch.range.end <= slice.range.end);
        left.erase(left.lower_bound(stretch.range.start), left.upper_bound(stretch.range.end));
      }
    }
    EXPECT(slices.back().range.start == range.start && left.empty());
  }
}

TEST("the chunk count of many series is the sum of their single counts") {
  for (std::uint64_t round = 0; round < 20; ++round) {
    test::RandomSources sources(test::seed() + 4000 + round);
    std::vector<SeriesRef> wanted;
    for (SeriesRef ref = 0; ref < 12; ++ref) {
      if (sources.random() % 3 > 0) wanted.push_back(ref);
    }
    std::uint64_t expected = 0;
    const PinnedView view = sources.view();
    const TimeSlice slice = sliceOf(*view, sources.range());
    for (const Segment* segment : slice.segments) {
      for (const SeriesRef ref : wanted) expected += test::chunksOf(*segment, ref).size();
    }
    EXPECT(countChunks(slice, wanted) == expected);
  }
}

TEST("a cancelled reader fails at the next batch") {
  test::RandomSources sources(test::seed());
  ColumnReader reader(sources.view(), {kRef}, {INT64_MIN, INT64_MAX});
  reader.cancel();
  ColumnBatch batch;
  EXPECT(reader.next(batch).code() == StatusCode::kClosed);
}
