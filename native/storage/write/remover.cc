#include "storage/write/remover.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "storage/state/refusals.h"
#include "storage/write/removal.h"

namespace seriesdb {
namespace {

// The committer looks up at most so many series itself.
constexpr std::size_t kFewSeries = 256;
// The interval between two checks whether the index needs renewal.
constexpr auto kLook = std::chrono::seconds(5);

// True if the committer can look up the series itself.
bool isListOfFew(const Removal& removal) {
  const SeriesFilter& filter = removal.series;
  if (!filter.ids || filter.ids->size() > std::min<std::uint64_t>(kFewSeries, removal.seriesMax)) {
    return false;
  }
  return filter.name.kind == NameFilter::Kind::kAny && !filter.speaksOfLabels() &&
         removal.ranges.size() == 1;
}

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

constexpr std::size_t kNamesPerStep = 4096;

}  // namespace

Removal Removal::ofIds(std::vector<SeriesId> ids, TimeRange range) {
  Removal removal;
  removal.series.ids = std::move(ids);
  removal.ranges = {range};
  return removal;
}

Remover::Remover(const Owners& owners, Committer& committer, WorkPace& pace,
                 std::function<void()> onIndexRenewed)
    : sources_(owners.sources),
      counters_(owners.counters),
      committer_(committer),
      pace_(pace),
      onIndexRenewed_(std::move(onIndexRenewed)),
      renewal_(owners.settings, sources_, owners.manifest, counters_, [this] {
        using Work = IndexRenewal::Work;
        const std::lock_guard lock(mutex_);
        if (isStopping_) return Work::kEnd;
        const bool isNone = asked_.empty() && removed_.empty() && forgotten_.empty();
        return isNone ? Work::kNone : Work::kSome;
      }) {
  thread_ = std::thread([this] { run(); });
}

Remover::~Remover() { stop(); }

void Remover::remove(Removal removal, Done done) {
  Asked asked{std::move(removal), std::move(done)};
  if (isListOfFew(asked.removal)) return submitFew(std::move(asked));
  {
    const std::lock_guard lock(mutex_);
    if (!isStopping_) {
      asked_.push_back(std::move(asked));
      wake_.notify_one();
      return;
    }
  }
  asked.done(closedDatabase());
}

void Remover::stop() {
  {
    const std::lock_guard lock(mutex_);
    isStopping_ = true;
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

bool Remover::isStopping() {
  const std::lock_guard lock(mutex_);
  return isStopping_;
}

// Renews the bounds of all applied tombstones together, because their series may be the same.
void Remover::run() {
  PacedThread paced(pace_);
  for (bool isLast = false; !isLast;) {
    std::vector<Asked> asked;
    std::vector<Removed> removed;
    {
      std::unique_lock lock(mutex_);
      // Nothing signals that the index needs renewal, so the thread polls.
      wake_.wait_for(lock, kLook, [this] {
        return isStopping_ || !asked_.empty() || !removed_.empty() || !forgotten_.empty() ||
               !forgetting_.empty();
      });
      isLast = isStopping_;
      asked.swap(asked_);
      removed.swap(removed_);
      std::ranges::move(forgotten_, std::back_inserter(forgetting_));
      forgotten_.clear();
    }
    paced.begin();
    for (Asked& one : asked) {
      if (isLast) {
        one.done(closedDatabase());
      } else {
        submitMany(std::move(one), paced);
      }
    }
    if (!removed.empty()) renew(removed, paced);
    if (!forgetting_.empty()) forgetSome(paced);
    if (!isLast && forgetting_.empty()) renewIndex(paced);
    paced.end();
  }
  // No reader will need these bounds.
  while (!forgetting_.empty()) endForgotten();
}

void Remover::renewLater(Removed removed) {
  {
    const std::lock_guard lock(mutex_);
    if (!isStopping_) {
      removed_.push_back(std::move(removed));
      wake_.notify_one();
      return;
    }
  }
  answer(removed);
}

void Remover::forget(std::vector<std::shared_ptr<const Segment>> segments,
                     std::function<void()> done) {
  {
    const std::lock_guard lock(mutex_);
    if (!isStopping_) {
      forgotten_.push_back({std::move(segments), std::move(done)});
      wake_.notify_one();
      return;
    }
  }
  done();
}

void Remover::answer(const Removed& removed) {
  // A deletion that found no series, or was refused, has no tombstones.
  if (!removed.tombstones.empty()) {
    counters_.removals.fetch_add(1, std::memory_order_relaxed);
  }
  removed.done(removed.seriesCount);
}

// Concurrent deletions mask their samples at once, and wait for their bounds.
void Remover::renewIndex(PacedThread& paced) {
  // After stop(), names may be partly renewed.
  if (isStopping() || !renewal_.isDue()) return;
  const bool isRenewed =
      renewal_.run([this, &paced](const Committer::Turn& turn) { return runTurns(turn, paced); });
  if (isRenewed) onIndexRenewed_();
}

// Runs turns on the committer and waits for them. False if the engine is closing and no one needs
// the bounds.
bool Remover::runTurns(const Committer::Turn& turn, PacedThread& paced) {
  if (isStopping()) return false;
  const auto done = std::make_shared<std::promise<void>>();
  const auto last = [&turn, done] {
    if (turn()) return true;
    done->set_value();
    return false;
  };
  if (!committer_.runInTurns(last)) return false;
  paced.end();
  done->get_future().wait();
  paced.begin();
  return true;
}

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

void Remover::renew(const std::vector<Removed>& all, PacedThread& paced) {
  indexTombstones(sources_);
  renewSeries(all, paced);
  renewNames(paced);
  for (const Removed& removed : all) answer(removed);
}

void Remover::renewSeries(const std::vector<Removed>& all, PacedThread& paced) {
  std::vector<Narrowed> step;
  for (const Removed& removed : all) {
    for (const auto& tombstone : removed.tombstones) {
      for (const SeriesRef ref : tombstone->refs) {
        step.push_back({ref, tombstone->range, tombstone.get()});
        while (step.size() >= kSeriesPerStep) {
          if (!renewStep(step, paced)) return;
        }
      }
    }
  }
  while (!step.empty() && renewStep(step, paced)) continue;
}

// Renews the first series of `step`, and leaves the others in it. False if the engine is closing.
bool Remover::renewStep(std::vector<Narrowed>& step, PacedThread& paced) {
  // Pending erasures are applied before each step: a strip that holds erased samples cannot tell
  // which samples arrived. A deletion since the last step may have left such strips; its own
  // renewal comes later.
  const auto carryOut = [this] {
    const auto view = sources_.view.current();
    return view->active->carryOut();
  };
  if (!runTurns(carryOut, paced)) return false;
  const auto end = step.begin() + static_cast<std::ptrdiff_t>(std::min(step.size(), stepSeries_));
  const std::span first(step.begin(), end);
  std::optional<BoundsRenewal> renewal;
  if (stepSeries_ > kSeriesOfTurn) renewal.emplace(sources_.view, sources_.index, first);
  const auto apply = [&] {
    if (!renewal) renewal.emplace(sources_.view, sources_.index, first);
    return renewal->applySome();
  };
  if (!runTurns(apply, paced)) return false;
  const std::vector<Narrowed>& again = renewal->again();
  stepSeries_ = again.empty() ? std::min(stepSeries_ * 2, kSeriesPerStep)
                              : std::max(stepSeries_ / 2, kSeriesOfTurn);
  step.erase(std::ranges::copy(again, step.begin()).out, end);
  return true;
}

// Renews the series of some pages, or finishes one request.
void Remover::forgetSome(PacedThread& paced) {
  collectForgotten();
  if (!step_.empty()) {
    static_cast<void>(renewStep(step_, paced));
    return;
  }
  renewNames(paced);
  endForgotten();
}

// If a page is unreadable, discovery keeps wider bounds than the samples have, until a restart.
void Remover::collectForgotten() {
  Forgotten& first = forgetting_.front();
  std::vector<ChunkEntry> chunks;
  while (!first.segments.empty() && step_.size() < kSeriesPerStep) {
    const Segment& segment = *first.segments.back();
    if (first.page == segment.pageCount()) {
      first.segments.pop_back();
      first.page = 0;
      continue;
    }
    if (!segment.readPage(first.page++, chunks).ok()) continue;
    for (const ChunkEntry& chunk : chunks) {
      const TimeRange range{chunk.summary.tsMin, chunk.summary.tsMax};
      if (step_.empty() || step_.back().ref != chunk.series) {
        step_.push_back({chunk.series, range, nullptr});
        continue;
      }
      TimeRange& all = step_.back().range;
      all = {std::min(all.start, range.start), std::max(all.end, range.end)};
    }
    PacedThread::giveWay();
  }
}

// Releases the segments before `done`: the waiting caller may remove their files.
void Remover::endForgotten() {
  Forgotten first = std::move(forgetting_.front());
  forgetting_.pop_front();
  step_.clear();
  first.segments.clear();
  first.done();
}

void Remover::renewNames(PacedThread& paced) {
  const auto index = sources_.index.writable();
  for (;;) {
    std::vector<std::uint32_t> names;
    const auto begin = [&] {
      names = index->beginNameRenewal(kNamesPerStep);
      return false;
    };
    if (!runTurns(begin, paced) || names.empty()) return;
    const auto bounds = index->boundsOfNames(names);
    const auto end = [&] {
      index->endNameRenewal(names, bounds);
      return false;
    };
    if (!runTurns(end, paced)) return;
  }
}

}  // namespace seriesdb
