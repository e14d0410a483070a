// Hands a deletion to the committer: at once, or after looking up its series, in parts.
#include <algorithm>
#include <future>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "storage/write/removal.h"
#include "storage/write/remover.h"

namespace seriesdb {
namespace {

// Series per tombstone; the committer logs this many in a millisecond or two.
constexpr std::size_t kPartSeries = std::size_t{1} << 20;

// The series that may have samples in a range. If a damaged segment covers that time, these are all
// series, because a repair may restore it. The same holds if bounds lack repaired samples.
class RangeSeries {
 public:
  RangeSeries(const Sources& sources, const SeriesIndex& index, TimeRange range)
      : index_(index), range_(range) {
    const auto view = sources.view.current();
    const auto isOfRange = [range](const SegmentFacts& facts) {
      return facts.tsMin <= range.end && range.start <= facts.tsMax;
    };
    areAll_ = sources.unnotedSegments.load(std::memory_order_acquire) != 0 ||
              std::ranges::any_of(view->damaged, isOfRange);
  }

  std::uint64_t countOf(std::span<const SeriesRef> refs) const {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(refs, [this](SeriesRef ref) { return hasSamples(ref); }));
  }
  std::vector<SeriesRef> of(std::span<const SeriesRef> refs) const {
    std::vector<SeriesRef> some;
    std::ranges::copy_if(refs, std::back_inserter(some),
                         [this](SeriesRef ref) { return hasSamples(ref); });
    return some;
  }

 private:
  bool hasSamples(SeriesRef ref) const {
    if (areAll_) return true;
    const auto bounds = index_.boundsOf(ref);
    return bounds && bounds->start <= range_.end && range_.start <= bounds->end;
  }

  const SeriesIndex& index_;
  TimeRange range_;
  bool areAll_ = false;
};

// The error of a deletion that failed midway. The first `rangeCount` ranges are deleted for all
// series, the next one only for some.
Status failedInPart(const Removal& removal, std::size_t rangeCount, std::string_view series,
                    const Status& failed) {
  std::string message = failed.message() + "; already deleted: ";
  if (removal.ranges.size() > 1) {
    message += std::to_string(rangeCount) + " of " + std::to_string(removal.ranges.size()) +
               " time ranges, and in the next one ";
  }
  return {failed.code(), message.append(series)};
}

}  // namespace

void Remover::submitFew(Asked asked) {
  auto write = std::make_unique<RemovalWrite>();
  write->series = std::move(*asked.removal.series.ids);
  write->tombstone.range = asked.removal.ranges[0];
  write->done = [this, done = std::move(asked.done)](auto applied) {
    if (!applied.ok()) return done(applied.status());
    Removed removed{{}, 0, done};
    if (applied.value()) {
      removed.seriesCount = applied.value()->refs.size();
      removed.tombstones.push_back(std::move(applied).value());
    }
    renewLater(std::move(removed));
  };
  committer_.submit({{}, 0, {}, nullptr, std::move(write), {}});
}

void Remover::submitMany(Asked asked, PacedThread& paced) {
  const Removal& removal = asked.removal;
  const auto index = sources_.index.current();
  const std::vector<SeriesRef> refs = index->select(removal.series);
  if (refs.size() > removal.seriesMax) {
    const std::string most = std::to_string(removal.seriesMax);
    return asked.done(
        Status(StatusCode::kQueryLimit,
               "the query deletes from more than max_query_series = " + most + " series"));
  }
  Removed removed{{}, refs.size(), std::move(asked.done)};
  const Status submitted = submitParts(removal, refs, removed, paced);
  if (!submitted.ok()) {
    removed.done(submitted);
    removed.done = [](const auto&) {};
  }
  renewLater(std::move(removed));
}

// Submits range by range, each in parts, without series that have no samples there. The first part
// requests the room of all parts, so that no later part is refused.
Status Remover::submitParts(const Removal& removal, std::span<const SeriesRef> refs,
                            Removed& removed, PacedThread& paced) {
  const auto index = sources_.index.current();
  std::uint64_t room = 0;
  for (const TimeRange range : removal.ranges) {
    for (std::size_t at = 0; at < refs.size(); at += kPartSeries) {
      const auto some = refs.subspan(at, std::min(refs.size() - at, kPartSeries));
      const std::uint64_t count = RangeSeries(sources_, *index, range).countOf(some);
      if (count > 0) room += count + kTombstoneWeight;
    }
  }
  for (std::size_t range = 0; range < removal.ranges.size(); ++range) {
    for (std::size_t at = 0; at < refs.size(); at += kPartSeries) {
      const auto asked = refs.subspan(at, std::min(refs.size() - at, kPartSeries));
      const auto some = RangeSeries(sources_, *index, removal.ranges[range]).of(asked);
      if (some.empty()) continue;
      auto part = std::make_unique<RemovalWrite>();
      part->tombstone.range = removal.ranges[range];
      part->tombstone.refs.assign(some.begin(), some.end());
      part->room = std::max<std::uint64_t>(room, some.size() + kTombstoneWeight);
      encodeTombstone(part->payload, part->tombstone);
      auto applied = submitPart(std::move(part), paced);
      if (!applied.ok()) {
        if (removed.tombstones.empty()) return applied.status();
        const std::string series =
            std::to_string(at) + " of " + std::to_string(refs.size()) + " series";
        return failedInPart(removal, range, series, applied.status());
      }
      removed.tombstones.push_back(std::move(applied).value());
      room -= std::min<std::uint64_t>(room, some.size() + kTombstoneWeight);
    }
  }
  return Status::okStatus();
}

Result<std::shared_ptr<const Tombstone>> Remover::submitPart(std::unique_ptr<RemovalWrite> part,
                                                             PacedThread& paced) {
  const auto answer = std::make_shared<std::promise<Result<std::shared_ptr<const Tombstone>>>>();
  part->done = [answer](auto applied) { answer->set_value(std::move(applied)); };
  committer_.submit({{}, 0, {}, nullptr, std::move(part), {}});
  paced.end();
  auto applied = answer->get_future().get();
  paced.begin();
  return applied;
}

}  // namespace seriesdb
