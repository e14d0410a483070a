// Narrows the bounds of series and names after deletions and retention.
#include <algorithm>
#include <utility>

#include "storage/write/removal.h"
#include "storage/write/remover.h"

namespace seriesdb {
namespace {

constexpr std::size_t kNamesPerStep = 4096;

}  // namespace

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
