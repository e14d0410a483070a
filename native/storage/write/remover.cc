#include "storage/write/remover.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <iterator>
#include <utility>

#include "storage/state/refusals.h"

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

}  // namespace seriesdb
