// The times of segments that stay. Where they overlap a dropped segment, samples that it overwrote
// would reappear. Internal to compaction/.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

#include "storage/compaction/survey.h"

namespace seriesdb {

// A set of times, as disjoint ranges.
class TimeSet {
 public:
  bool meets(TimeRange range) const {
    const auto after = ranges_.upper_bound(range.end);
    return after != ranges_.begin() && std::prev(after)->second >= range.start;
  }
  void add(TimeRange range) {
    auto next = ranges_.upper_bound(range.end);
    while (next != ranges_.begin() && std::prev(next)->second >= range.start) {
      const auto met = std::prev(next);
      range.start = std::min(range.start, met->first);
      range.end = std::max(range.end, met->second);
      next = ranges_.erase(met);
    }
    ranges_.emplace(range.start, range.end);
  }

 private:
  std::map<Timestamp, Timestamp> ranges_;  // Start to end.
};

// The times of staying segments, grouped by whether they may share a series.
class StayingTimes {
 public:
  explicit StayingTimes(const CompactionSurvey& survey) : survey_(survey) {}

  void add(const CompactionSegment& segment) {
    all_.add(segment.time);
    if (!segment.place) return levelZero_.add(segment.time);
    classes_[segment.place->classNumber].add(segment.time);
    versions_[survey_.classOf(segment).version].add(segment.time);
  }
  bool meets(const CompactionSegment& segment) const {
    if (!segment.place) return all_.meets(segment.time);
    if (levelZero_.meets(segment.time)) return true;
    const auto same = classes_.find(segment.place->classNumber);
    if (same != classes_.end() && same->second.meets(segment.time)) return true;
    const std::uint32_t version = survey_.classOf(segment).version;
    return std::any_of(versions_.begin(), versions_.end(), [&](const auto& other) {
      return other.first != version && other.second.meets(segment.time);
    });
  }

 private:
  const CompactionSurvey& survey_;
  TimeSet all_;
  TimeSet levelZero_;
  std::map<std::uint32_t, TimeSet> classes_;
  std::map<std::uint32_t, TimeSet> versions_;
};

}  // namespace seriesdb
