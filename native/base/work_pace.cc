#include "base/work_pace.h"

#include <algorithm>
#include <utility>

namespace seriesdb {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
// Of five nanoseconds one is for work.
constexpr std::int64_t kRestPerWork = 5;
constexpr std::int64_t kCreditMax = 2 * kMillisecond;
constexpr std::int64_t kDebtMax = 2 * kMillisecond;
// Worked at a stretch between rests, or before the verdict is asked for again.
constexpr std::int64_t kStretch = kMillisecond / 2;
// Urgent work comes in pieces of up to some milliseconds. A verdict over a shorter time would be
// chance, one over a longer time history.
constexpr std::int64_t kWindowMin = 4 * kMillisecond;
constexpr std::int64_t kWindowMax = 50 * kMillisecond;
// Busy is a tenth of a core.
constexpr std::int64_t kBusyPart = 10;

thread_local WorkPace* paceOfThread = nullptr;

}  // namespace

WorkPace::WorkPace(PaceSurroundings surroundings)
    : surroundings_(std::move(surroundings)),
      credit_(kCreditMax),
      accountedAt_(surroundings_.now()),
      windowBegin_(accountedAt_),
      windowUrgent_(surroundings_.urgentNanos()) {}

void WorkPace::begin() {
  account(false);
  if (credit_ < 0) rest();
}

void WorkPace::step() {
  account(true);
  if (credit_ < 0) rest();
}

void WorkPace::giveWay() {
  if (paceOfThread != nullptr) paceOfThread->step();
}

void WorkPace::setOfThread(WorkPace* pace) { paceOfThread = pace; }

void WorkPace::account(bool hasWorked) {
  const std::uint64_t now = surroundings_.now();
  const auto elapsed = static_cast<std::int64_t>(now - accountedAt_);
  accountedAt_ = now;
  credit_ += elapsed / kRestPerWork - (hasWorked ? elapsed : 0);
  credit_ = std::clamp(credit_, -kDebtMax, kCreditMax);
}

void WorkPace::rest() {
  if (!isUrgentBusy()) {
    credit_ = kStretch;
    return;
  }
  surroundings_.sleep(static_cast<std::uint64_t>((kStretch - credit_) * kRestPerWork));
  account(false);
}

bool WorkPace::isUrgentBusy() {
  const auto window = static_cast<std::int64_t>(accountedAt_ - windowBegin_);
  if (window < kWindowMin) return isBusy_;
  const std::uint64_t urgent = surroundings_.urgentNanos();
  const auto worked = static_cast<std::int64_t>(urgent - windowUrgent_);
  if (window <= kWindowMax) isBusy_ = worked > window / kBusyPart;
  windowBegin_ = accountedAt_;
  windowUrgent_ = urgent;
  return isBusy_;
}

}  // namespace seriesdb
