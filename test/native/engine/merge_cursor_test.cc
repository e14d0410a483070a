// The merge of runs: random segments and memtables against a map, read in pieces of any size.
#include "engine/merge_cursor.h"

#include <map>
#include <random>

#include "harness.h"

using namespace seriesdb;

namespace {

using Points = std::map<Timestamp, double>;

constexpr SeriesRef kRef = 3;

// A view of random sources, and what a read of all of it must give.
class Sources {
 public:
  explicit Sources(std::uint64_t seed) : random_(seed), directory_(test::temporaryDirectory()) {
    auto view = std::make_shared<View>();
    for (std::uint64_t i = 0; i < random_() % 4; ++i) {
      // Not empty, which no segment is.
      view->segments.push_back(segment(i + 1, points(1 + random_() % 9000)));
    }
    for (std::uint64_t i = 0; i < random_() % 3; ++i) {
      auto frozen = std::make_shared<FrozenMemtable>();
      frozen->memtable = memtable(random_() % 100);
      view->frozen.push_back(frozen);
    }
    view->active = memtable(random_() % 2 == 0 ? random_() % 50 : 40'000);
    view_ = view;
  }

  void check() {
    TimeRange range{timestamp(), timestamp()};
    if (random_() % 3 == 0) range = {INT64_MIN, INT64_MAX};
    if (range.start > range.end) std::swap(range.start, range.end);
    const Points expected{expected_.lower_bound(range.start), expected_.upper_bound(range.end)};
    const std::size_t countMax = 1 + random_() % 5000;
    MergeCursor cursor(view_, kRef, range);
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

 private:
  Timestamp timestamp() {
    const std::uint64_t dice = random_() % 50;
    if (dice == 0) return INT64_MIN;
    if (dice == 1) return INT64_MAX;
    return static_cast<Timestamp>(random_() % 30'000) - 15'000;
  }
  Points points(std::uint64_t count) {
    Points all;
    for (std::uint64_t i = 0; i < count; ++i) {
      all[timestamp()] = static_cast<double>(random_() % 1000);
    }
    for (const auto& [at, value] : all) expected_[at] = value;
    return all;
  }
  std::shared_ptr<const Segment> segment(std::uint64_t number, const Points& all) {
    std::vector<Timestamp> ts;
    std::vector<double> values;
    for (const auto& [at, value] : all) {
      ts.push_back(at);
      values.push_back(value);
    }
    auto writer = SegmentWriter::create(posixFileSystem(), directory_, number);
    CHECK(writer.ok() && writer.value()->addSeries(1, ts, values).ok());
    CHECK(writer.value()->addSeries(kRef, ts, values).ok());
    const auto facts = writer.value()->finish(number);
    CHECK(facts.ok());
    auto opened = Segment::open(posixFileSystem(), directory_, facts.value());
    CHECK(opened.ok());
    return std::move(opened).value();
  }
  // In order of time or of none; the later of two equal timestamps wins.
  std::shared_ptr<Memtable> memtable(std::uint64_t count) {
    std::vector<Timestamp> ts;
    std::vector<double> values;
    if (random_() % 2 == 0) {
      for (const auto& [at, value] : points(count)) {
        ts.push_back(at);
        values.push_back(value);
      }
    } else {
      for (std::uint64_t i = 0; i < count; ++i) {
        ts.push_back(timestamp());
        values.push_back(static_cast<double>(random_() % 1000));
        expected_[ts.back()] = values.back();
      }
    }
    auto table = std::make_shared<Memtable>();
    std::vector<Memtable::FirstSeen> firstSeen;
    table->append(std::vector<SeriesRef>(ts.size(), kRef), ts, values, firstSeen);
    return table;
  }

  std::mt19937_64 random_;
  std::string directory_;
  std::shared_ptr<const View> view_;
  Points expected_;
};

}  // namespace

TEST("a merge gives every timestamp once, in order, with the value of the newest run") {
  for (std::uint64_t round = 0; round < 40; ++round) {
    Sources sources(test::seed() + round);
    for (int i = 0; i < 6; ++i) sources.check();
  }
}

TEST("a cursor keeps what it reads alive while newer views are published") {
  ViewHolder holder;
  holder.update([](View& view) { view.active = std::make_shared<Memtable>(); });
  std::vector<Memtable::FirstSeen> firstSeen;
  const SeriesRef refs[] = {kRef};
  const Timestamp ts[] = {1};
  const double values[] = {2};
  holder.current()->active->append(refs, ts, values, firstSeen);
  MergeCursor cursor(holder.current(), kRef, {INT64_MIN, INT64_MAX});
  holder.update([](View& view) { view.active = std::make_shared<Memtable>(); });
  std::vector<Timestamp> readTs;
  std::vector<double> readValues;
  REQUIRE(cursor.next(10, readTs, readValues).ok());
  EXPECT(readTs == std::vector<Timestamp>{1} && readValues == std::vector<double>{2});
}
