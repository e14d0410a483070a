#include "common/base/work_pace.h"

#include <algorithm>
#include <utility>

namespace seriesdb {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
// The longest work between two rests.
constexpr std::int64_t kStretch = kMillisecond / 2;
// The most reserved time that a rested thread may use at once, and the most overdrawn time that is
// charged.
constexpr std::int64_t kCreditMax = 2 * kMillisecond;
constexpr std::int64_t kDebtMax = 2 * kMillisecond;
// Urgent work comes in pieces of up to some milliseconds. A shorter window would measure chance; a
// longer one would measure the past.
constexpr std::uint64_t kWindowMin = 4 * kMillisecond;
constexpr std::uint64_t kWindowMax = 50 * kMillisecond;
// Urgent work is busy above a tenth of a core.
constexpr std::uint64_t kBusyPart = 10;

thread_local PacedThread* ofThread = nullptr;

}  // namespace

WorkPace::WorkPace(PaceSurroundings surroundings, std::uint32_t percent)
    : surroundings_(std::move(surroundings)),
      percent_(percent),
      paidAt_(0),
      windowBegin_(surroundings_.now()),
      windowUrgent_(surroundings_.urgentNanos()) {}

std::uint64_t WorkPace::buy(std::uint64_t now, std::uint64_t overdrawn) {
  const auto price = [this](std::int64_t work) { return work * 100 / percent_; };
  const auto at = static_cast<std::int64_t>(now);
  const std::lock_guard lock(mutex_);
  paidAt_ += price(static_cast<std::int64_t>(overdrawn));
  paidAt_ = std::clamp(paidAt_, at - price(kCreditMax), at + price(kDebtMax));
  if (paidAt_ > at && !isUrgentBusy(now)) paidAt_ = at;
  const std::int64_t wait = std::max<std::int64_t>(0, paidAt_ - at);
  paidAt_ += price(kStretch);
  return static_cast<std::uint64_t>(wait);
}

// REQUIRES: the lock is held.
bool WorkPace::isUrgentBusy(std::uint64_t now) {
  // Another thread may have begun the window after this thread read the clock.
  const std::uint64_t window = now < windowBegin_ ? 0 : now - windowBegin_;
  if (window < kWindowMin) return isBusy_;
  const std::uint64_t urgent = surroundings_.urgentNanos();
  if (window <= kWindowMax) isBusy_ = urgent - windowUrgent_ > window / kBusyPart;
  windowBegin_ = now;
  windowUrgent_ = urgent;
  return isBusy_;
}

PacedThread::PacedThread(WorkPace& pace) : pace_(pace), workedTo_(0) { ofThread = this; }

PacedThread::~PacedThread() { ofThread = nullptr; }

void PacedThread::begin() {
  workedTo_ = pace_.surroundings_.now();
  rest();
}

void PacedThread::end() { account(); }

void PacedThread::step() {
  account();
  rest();
}

void PacedThread::giveWay() {
  if (ofThread != nullptr) ofThread->step();
}

PacedThread::Hurry::Hurry() : paced_(std::exchange(ofThread, nullptr)) {}
PacedThread::Hurry::~Hurry() { ofThread = paced_; }

void PacedThread::account() {
  const std::uint64_t now = pace_.surroundings_.now();
  left_ -= static_cast<std::int64_t>(now - workedTo_);
  workedTo_ = now;
}

void PacedThread::rest() {
  if (left_ > 0) return;
  const std::uint64_t wait = pace_.buy(workedTo_, static_cast<std::uint64_t>(-left_));
  left_ = kStretch;
  if (wait == 0) return;
  pace_.surroundings_.sleep(wait);
  workedTo_ = pace_.surroundings_.now();
}

}  // namespace seriesdb
