// One series over random segments and memtables, with deletions between them, and the expected
// result of a read.
#pragma once

#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "harness.h"
#include "storage/view/view.h"

namespace seriesdb::test {

using Points = std::map<Timestamp, double>;

inline constexpr SeriesRef kSourcesRef = 3;

// A view of random sources, and the expected result of reading all of it.
class RandomSources {
 public:
  explicit RandomSources(std::uint64_t seed)
      : random_(seed), directory_(test::temporaryDirectory()) {
    auto view = std::make_shared<View>();
    for (std::uint64_t i = 0; i < random_() % 4; ++i) {
      // Not empty, because no segment is.
      view->segments.push_back(segment(i + 1, points(1 + random_() % 9000)));
      remove(*view);
    }
    for (std::uint64_t i = 0; i < random_() % 3; ++i) {
      auto frozen = std::make_shared<FrozenMemtable>();
      frozen->memtable = memtable(random_() % 100);
      frozen->sequenceMax = ++sequence_;
      view->frozen.push_back(frozen);
      remove(*view);
    }
    view->active = memtable(random_() % 2 == 0 ? random_() % 50 : 40'000);
    view_ = PinnedView(view);
  }

  const PinnedView& view() const { return view_; }
  const Points& expected() const { return expected_; }
  Points expectedIn(TimeRange range) const {
    return {expected_.lower_bound(range.start), expected_.upper_bound(range.end)};
  }
  // Not empty; sometimes all of time.
  TimeRange range() {
    TimeRange range{timestamp(), timestamp()};
    if (random_() % 3 == 0) range = {INT64_MIN, INT64_MAX};
    if (range.start > range.end) std::swap(range.start, range.end);
    return range;
  }
  std::uint64_t random() { return random_(); }

 private:
  // Sometimes deletes from all sources so far.
  void remove(View& view) {
    while (random_() % 3 == 0) {
      Tombstone tombstone;
      tombstone.refs = {1, kSourcesRef};
      if (random_() % 4 == 0) tombstone.refs = {1, 7};
      tombstone.range = range();
      tombstone.sequence = ++sequence_;
      if (tombstone.holds(kSourcesRef)) {
        expected_.erase(expected_.lower_bound(tombstone.range.start),
                        expected_.upper_bound(tombstone.range.end));
      }
      view.tombstones.add(std::make_shared<const Tombstone>(std::move(tombstone)));
    }
  }
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
    CHECK(writer.value()->addSeries(kSourcesRef, ts, values).ok());
    const auto facts = writer.value()->finish(++sequence_);
    CHECK(facts.ok());
    auto opened = Segment::open(posixFileSystem(), directory_, facts.value());
    CHECK(opened.ok());
    return std::move(opened).value();
  }
  // In order of time or not; the later of two equal timestamps wins.
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
    table->append(std::vector<SeriesRef>(ts.size(), kSourcesRef), ts, values);
    return table;
  }

  std::mt19937_64 random_;
  std::string directory_;
  PinnedView view_{std::make_shared<const View>()};
  Points expected_;
  std::uint64_t sequence_ = 0;
};

}  // namespace seriesdb::test
