// Time and pauses of requests to a store.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/base/clock.h"
#include "common/base/lock_order.h"

namespace seriesdb {

// Time as the protocols need it; tests supply a clock that they move.
class Pauser {
 public:
  virtual ~Pauser() = default;
  // Nanoseconds of a monotonic clock.
  virtual std::uint64_t nowNanos() const = 0;
  // Waits so long, or shorter if the caller is stopped. False: stopped, so the caller gives up.
  virtual bool pause(std::uint64_t nanos) = 0;
};

// The machine's clock. Any thread.
class MachinePauser final : public Pauser {
 public:
  std::uint64_t nowNanos() const override { return monotonicNanos(); }
  bool pause(std::uint64_t nanos) override;
  // Ends all pauses, now and later.
  void stop();

 private:
  OrderedMutex<LockRank::kPauser> mutex_;  // Guards isStopped_.
  OrderedCondition stopped_;
  bool isStopped_ = false;
};

namespace store_retry {

// The first pause is short, since most failures are single. The last keeps a long outage cheap.
inline constexpr std::uint64_t kFirstPauseNanos = 50'000'000;
inline constexpr std::uint64_t kLastPauseNanos = 5'000'000'000;
// A request has this long, and four seconds for each MB of its body or of the wanted range.
inline constexpr std::uint64_t kRequestNanos = 5'000'000'000;
inline constexpr std::uint64_t kNanosOfByte = 4'000;
// A store with many keys lists them slowly, and joins the parts of an upload for minutes.
inline constexpr std::uint64_t kListNanos = 60'000'000'000;
inline constexpr std::uint64_t kJoinNanos = 300'000'000'000;
// No failure is followed by another try after this time.
inline constexpr std::uint64_t kGiveUpNanos = 60'000'000'000;

// The pause behind so many failures, of 0 to 1 by `random` of `randomMax`.
inline std::uint64_t pauseNanos(unsigned failures, std::uint64_t random, std::uint64_t randomMax) {
  // Past seven doublings it is the last pause anyway, and a larger shift could overflow.
  const std::uint64_t whole = std::min(kFirstPauseNanos << std::min(failures, 7u), kLastPauseNanos);
  return whole / 2 + whole / 2 * random / randomMax;
}

}  // namespace store_retry
}  // namespace seriesdb
