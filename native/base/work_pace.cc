#include "base/work_pace.h"

#include <algorithm>
#include <utility>

namespace seriesdb {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kCreditMax = 2 * kMillisecond;
constexpr std::int64_t kDebtMax = 2 * kMillisecond;
// Worked at a stretch between rests, or before the verdict is asked for again.
constexpr std::int64_t kStretch = kMillisecond / 2;
// Urgent work comes in pieces of up to some milliseconds. A verdict over a shorter time would be
// chance, one over a longer time history.
constexpr std::uint64_t kWindowMin = 4 * kMillisecond;
constexpr std::uint64_t kWindowMax = 50 * kMillisecond;
// Busy is a tenth of a core.
constexpr std::uint64_t kBusyPart = 10;

thread_local PacedThread* ofThread = nullptr;

}  // namespace

WorkPace::WorkPace(PaceSurroundings surroundings, std::uint32_t fifths)
    : surroundings_(std::move(surroundings)),
      fifths_(fifths),
      credit_(kCreditMax),
      accountedAt_(surroundings_.now()),
      windowBegin_(accountedAt_.load(std::memory_order_relaxed)),
      windowUrgent_(surroundings_.urgentNanos()) {}

// Two threads may account in any order: what one finds to have gone back, the other has counted.
std::int64_t WorkPace::account(std::uint64_t now, std::uint64_t worked) {
  const std::uint64_t before = accountedAt_.exchange(now, std::memory_order_relaxed);
  const std::int64_t earned = static_cast<std::int64_t>(now - before) * fifths_ / 5;
  const std::int64_t change = earned - static_cast<std::int64_t>(worked);
  const std::int64_t credit = credit_.fetch_add(change, std::memory_order_relaxed) + change;
  const std::int64_t bounded = std::clamp(credit, -kDebtMax, kCreditMax);
  if (bounded != credit) credit_.store(bounded, std::memory_order_relaxed);
  return bounded;
}

std::uint64_t WorkPace::restFor(std::uint64_t now, std::int64_t credit) {
  if (isUrgentBusy(now)) return static_cast<std::uint64_t>((kStretch - credit) * 5 / fifths_);
  credit_.store(kStretch, std::memory_order_relaxed);
  return 0;
}

bool WorkPace::isUrgentBusy(std::uint64_t now) {
  const std::lock_guard lock(mutex_);
  // Another thread may have begun the window after this one looked at the clock.
  const std::uint64_t window = now < windowBegin_ ? 0 : now - windowBegin_;
  if (window < kWindowMin) return isBusy_;
  const std::uint64_t urgent = surroundings_.urgentNanos();
  if (window <= kWindowMax) isBusy_ = urgent - windowUrgent_ > window / kBusyPart;
  windowBegin_ = now;
  windowUrgent_ = urgent;
  return isBusy_;
}

PacedThread::PacedThread(WorkPace& pace) : pace_(pace), workedTo_(pace.now()) { ofThread = this; }

PacedThread::~PacedThread() { ofThread = nullptr; }

void PacedThread::begin() {
  workedTo_ = pace_.now();
  const std::int64_t credit = pace_.account(workedTo_, 0);
  if (credit < 0) rest(workedTo_, credit);
}

void PacedThread::end() {
  const std::uint64_t now = pace_.now();
  pace_.account(now, now - workedTo_);
  workedTo_ = now;
}

void PacedThread::step() {
  const std::uint64_t now = pace_.now();
  const std::int64_t credit = pace_.account(now, now - workedTo_);
  workedTo_ = now;
  if (credit < 0) rest(now, credit);
}

void PacedThread::giveWay() {
  if (ofThread != nullptr) ofThread->step();
}

void PacedThread::rest(std::uint64_t now, std::int64_t credit) {
  const std::uint64_t nanos = pace_.restFor(now, credit);
  if (nanos == 0) return;
  pace_.surroundings_.sleep(nanos);
  workedTo_ = pace_.now();
  pace_.account(workedTo_, 0);
}

}  // namespace seriesdb
