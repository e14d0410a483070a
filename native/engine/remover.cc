#include "engine/remover.h"

#include <algorithm>
#include <future>
#include <utility>

#include "engine/removal.h"

namespace seriesdb {
namespace {

// Up to so many are looked up by the committer.
constexpr std::size_t kFewSeries = 256;
// Series of one tombstone, so that the committer writes it to the log in a millisecond or two.
constexpr std::size_t kPartSeries = std::size_t{1} << 20;
// Series whose bounds are computed before the committer puts them into the index.
constexpr std::size_t kSeriesPerStep = 2048;
constexpr std::size_t kNamesPerStep = 4096;

const Status& closedStatus() {
  static const Status kClosed(StatusCode::kClosed, "the database is closed");
  return kClosed;
}

}  // namespace

Remover::Remover(EngineState& state, Committer& committer, WorkPace& pace)
    : state_(state), committer_(committer), pace_(pace) {
  thread_ = std::thread([this] { run(); });
}

Remover::~Remover() { stop(); }

void Remover::remove(std::vector<SeriesId> series, TimeRange range, Done done) {
  Asked asked{std::move(series), range, std::move(done)};
  if (asked.series.size() <= kFewSeries) return submitFew(std::move(asked));
  {
    const std::lock_guard lock(mutex_);
    if (!isStopping_) {
      asked_.push_back(std::move(asked));
      wake_.notify_one();
      return;
    }
  }
  asked.done(closedStatus());
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

// Those that were carried out meanwhile are renewed together: their series may be the same.
void Remover::run() {
  PacedThread paced(pace_);
  for (bool isLast = false; !isLast;) {
    std::vector<Asked> asked;
    std::vector<Removed> removed;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return isStopping_ || !asked_.empty() || !removed_.empty(); });
      isLast = isStopping_;
      asked.swap(asked_);
      removed.swap(removed_);
    }
    paced.begin();
    for (Asked& one : asked) {
      if (isLast) {
        one.done(closedStatus());
      } else {
        submitMany(std::move(one), paced);
      }
    }
    if (!removed.empty()) renew(removed, paced);
    paced.end();
  }
}

// --- to the committer ---

void Remover::submitFew(Asked asked) {
  auto write = std::make_unique<RemovalWrite>();
  write->series = std::move(asked.series);
  write->tombstone.range = asked.range;
  write->done = [this, done = std::move(asked.done)](auto applied) {
    if (!applied.ok()) return done(applied.status());
    Removed removed{{}, done};
    if (applied.value()) removed.tombstones.push_back(std::move(applied).value());
    renewLater(std::move(removed));
  };
  committer_.submit({{}, 0, {}, nullptr, std::move(write), {}});
}

void Remover::submitMany(Asked asked, PacedThread& paced) {
  SeriesFilter filter;
  filter.ids = std::move(asked.series);
  const std::vector<SeriesRef> refs = state_.index->select(filter);
  Removed removed{{}, std::move(asked.done)};
  for (std::size_t at = 0; at < refs.size(); at += kPartSeries) {
    const auto begin = refs.begin() + static_cast<std::ptrdiff_t>(at);
    const std::size_t left = refs.size() - at;
    auto part = std::make_unique<RemovalWrite>();
    part->tombstone.range = asked.range;
    part->tombstone.refs.assign(
        begin, begin + static_cast<std::ptrdiff_t>(std::min(left, kPartSeries)));
    part->roomForSeries = left;
    encodeTombstone(part->payload, part->tombstone);
    auto applied = submitPart(std::move(part), paced);
    if (!applied.ok()) {
      removed.done(applied.status());
      removed.done = [](const Status&) {};
      break;
    }
    removed.tombstones.push_back(std::move(applied).value());
  }
  renewLater(std::move(removed));
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

void Remover::answer(const Removed& removed) {
  state_.counters.removals.fetch_add(1, std::memory_order_relaxed);
  removed.done(Status::okStatus());
}

// --- bounds ---

void Remover::renew(const std::vector<Removed>& all, PacedThread& paced) {
  indexTombstones(state_);
  renewSeries(all, paced);
  renewNames(paced);
  for (const Removed& removed : all) answer(removed);
}

void Remover::renewSeries(const std::vector<Removed>& all, PacedThread& paced) {
  // Before each step: a row that holds more than it shows does not tell what arrives in it, and a
  // deletion that came since the last step, whose own turn here is later, may have left such rows.
  const auto carryOut = [this] {
    const auto view = state_.view.current();
    return view->active->carryOut();
  };
  std::vector<Narrowed> step;
  const auto renewStep = [&] {
    if (!runTurns(carryOut, paced)) return false;
    BoundsRenewal renewal(state_, step);
    if (!runTurns([&renewal] { return renewal.applySome(); }, paced)) return false;
    step = std::move(renewal.again());
    return true;
  };
  for (const Removed& removed : all) {
    for (const auto& tombstone : removed.tombstones) {
      for (const SeriesRef ref : tombstone->refs) {
        step.push_back({ref, tombstone.get()});
        if (step.size() >= kSeriesPerStep && !renewStep()) return;
      }
    }
  }
  while (!step.empty() && renewStep()) continue;
}

void Remover::renewNames(PacedThread& paced) {
  for (;;) {
    std::vector<std::uint32_t> names;
    const auto begin = [&] {
      names = state_.index->beginNameRenewal(kNamesPerStep);
      return false;
    };
    if (!runTurns(begin, paced) || names.empty()) return;
    const auto bounds = state_.index->boundsOfNames(names);
    const auto end = [&] {
      state_.index->endNameRenewal(names, bounds);
      return false;
    };
    if (!runTurns(end, paced)) return;
  }
}

// Waits for the committer to do it. False when nobody waits for bounds any more.
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
