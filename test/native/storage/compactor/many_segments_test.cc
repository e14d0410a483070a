// Series in thousands of segments: the work of a read grows linearly with their number. Measured in
// calls to segments, and in parts open at once.
#include "harness.h"
#include "query/rows/row_query.h"
#include "query/samples/column_reader.h"
#include "storage/view/memory_segment.h"
#include "storage/view/merge_cursor.h"
#include "storage/view/part_merge.h"

using namespace seriesdb;

namespace {

constexpr SeriesRef kRef = 3;
constexpr std::size_t kSegments = 2000;
constexpr Timestamp kSamples = 20;  // Per segment.
constexpr TimeRange kAllTime{INT64_MIN, INT64_MAX};

// Consecutive segments, a sample a unit. If they overlap, every second one begins in the middle of
// the previous one; its values win.
class Segments {
 public:
  explicit Segments(bool isOverlapping) {
    auto view = std::make_shared<View>();
    view->active = std::make_shared<Memtable>();
    std::vector<std::shared_ptr<const Segment>> all;
    for (std::size_t i = 0; i < kSegments; ++i) {
      const Timestamp back = isOverlapping && i % 2 == 1 ? kSamples / 2 : 0;
      std::vector<Timestamp> ts;
      for (Timestamp j = 0; j < kSamples; ++j) {
        ts.push_back(static_cast<Timestamp>(i) * kSamples - back + j);
      }
      const std::vector<double> values(ts.size(), static_cast<double>(i));
      all.push_back(std::make_shared<test::MemorySegment>(kRef, ts, values, asked_));
    }
    view->segments = std::move(all);
    view_ = PinnedView(view);
  }

  const PinnedView& view() const { return view_; }
  std::uint64_t askedBy(auto read) {
    asked_ = 0;
    read();
    return asked_;
  }

 private:
  std::uint64_t asked_ = 0;
  PinnedView view_{std::make_shared<const View>()};
};

std::size_t readMerged(const PinnedView& view) {
  MergeCursor cursor(view, kRef, kAllTime);
  std::vector<Timestamp> ts;
  std::vector<double> values;
  CHECK(cursor.next(SIZE_MAX, ts, values).ok());
  return ts.size();
}

std::size_t readColumns(const PinnedView& view) {
  ColumnReader reader(view, {kRef}, kAllTime);
  ColumnBatch batch;
  std::size_t count = 0;
  do {
    CHECK(reader.next(batch).ok());
    count += batch.ts.size();
  } while (!batch.ts.empty());
  return count;
}

}  // namespace

TEST("rows of many series ask each segment once per time range, not once per series") {
  Segments segments(false);
  constexpr SeriesRef kSeries = 50;
  ReadPlan plan;
  for (SeriesRef ref = 0; ref < kSeries; ++ref) plan.refs.push_back(ref);
  constexpr Timestamp kMiddle = kSegments * kSamples / 2;
  plan.ranges = {{5, 9}, {kMiddle, kMiddle + 3}, {kMiddle + 100, kMiddle + 100}};
  for (const bool isDescending : {false, true}) {
    std::size_t count = 0;
    const std::uint64_t asked = segments.askedBy([&] {
      RowOrder order;
      order.isDescending = isDescending;
      auto query = RowQuery::make(segments.view(), plan, order);
      REQUIRE(query.ok());
      REQUIRE(query.value()->read({}).ok());
      count = query.value()->rows().left().size();
    });
    EXPECT(count == 10);
    EXPECT(asked < 20 * kSegments);
  }
}

TEST("a read of thousands of segments asks each at most a few times") {
  for (const bool isOverlapping : {false, true}) {
    Segments segments(isOverlapping);
    const std::size_t expected = kSegments * kSamples - (isOverlapping ? kSegments / 2 * 10 : 0);
    // Its facts, its chunks, and the bytes of one; some of them again.
    constexpr std::uint64_t kAskedMax = 6 * kSegments;
    std::size_t count = 0;
    EXPECT(segments.askedBy([&] { count = readMerged(segments.view()); }) <= kAskedMax);
    EXPECT(count == expected);
    EXPECT(segments.askedBy([&] { count = readColumns(segments.view()); }) <= kAskedMax);
    EXPECT(count == expected);
  }
}

TEST("thousands of segments are cut into few time slices, with few shared segments") {
  for (const bool isOverlapping : {false, true}) {
    Segments segments(isOverlapping);
    std::vector<TimeSlice> slices;
    const std::uint64_t asked =
        segments.askedBy([&] { slices = slicesFromEnd(*segments.view(), kAllTime); });
    EXPECT(asked <= 40 * kSegments);
    EXPECT(slices.size() <= 13);
    EXPECT(slices.front().segments.size() <= 2);
    std::size_t sum = 0;
    for (const TimeSlice& slice : slices) sum += slice.segments.size();
    EXPECT(kSegments <= sum && sum <= kSegments + 2 * slices.size());
  }
}

TEST("a merge of thousands of segments opens only those that overlap") {
  for (const bool isOverlapping : {false, true}) {
    Segments segments(isOverlapping);
    SeriesChunks chunks;
    SeriesSources sources;
    findChunks(*segments.view(), {&kRef, 1}, kAllTime, chunks);
    sources.captureHeld(*segments.view(), chunks, kAllTime);
    PartMerge merge;
    merge.begin(sources, sources.parts());
    std::vector<Timestamp> ts;
    std::vector<double> values;
    for (std::size_t count = 1; count > 0;) {
      const auto read = merge.nextSamples(SIZE_MAX, ts, values);
      REQUIRE(read.ok());
      count = read.value();
      EXPECT(merge.openCount() <= 2);
    }
  }
}
