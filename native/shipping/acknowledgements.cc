#include "shipping/acknowledgements.h"

#include <chrono>
#include <string>
#include <utility>

#include "common/base/clock.h"

namespace seriesdb {
Acknowledgements::Acknowledgements(std::uint64_t waitMs) : waitNanos_(waitMs * 1'000'000) {
  thread_ = std::thread([this] { run(); });
}

Acknowledgements::~Acknowledgements() { stop(); }

void Acknowledgements::add(const WalPlace& end, LogCopy::Answer answer) {
  Status ended;
  {
    const std::lock_guard lock(mutex_);
    // An answer behind waiting ones keeps its place, so that clients hear in order.
    if (ended_.ok() && (copied_ < end || !waiting_.empty())) {
      waiting_.push_back({end, monotonicNanos() + waitNanos_, std::move(answer)});
      if (waiting_.size() == 1) wake_.notify_one();
      return;
    }
    ended = copied_ < end ? ended_ : Status();
  }
  answer(ended);
}

void Acknowledgements::note(const WalPlace& place) {
  const std::lock_guard lock(mutex_);
  copied_ = place;
  wake_.notify_one();
}

void Acknowledgements::end(const Status& why) {
  const std::lock_guard lock(mutex_);
  if (ended_.ok()) ended_ = why;
  wake_.notify_one();
}

void Acknowledgements::stop() {
  end({StatusCode::kBucketUnavailable,
       "the server stopped before the bucket had this; it may be stored: send it again"});
  {
    const std::lock_guard lock(mutex_);
    isStopping_ = true;
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

std::uint64_t Acknowledgements::waitingCount() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

// Whether the first answer may be given. REQUIRES: the lock, and one waits.
bool Acknowledgements::isDue() const {
  const Waiting& first = waiting_.front();
  return first.end <= copied_ || !ended_.ok() || monotonicNanos() >= first.untilNanos;
}

void Acknowledgements::run() {
  std::unique_lock lock(mutex_);
  while (!waiting_.empty() || !isStopping_) {
    if (waiting_.empty()) {
      wake_.wait(lock, [this] { return isStopping_ || !waiting_.empty(); });
      continue;
    }
    if (!isDue()) {
      const std::uint64_t now = monotonicNanos();
      const std::uint64_t until = waiting_.front().untilNanos;
      wake_.wait_for(lock, std::chrono::nanoseconds(until > now ? until - now : 0),
                     [this] { return isDue(); });
      continue;
    }
    Waiting one = std::move(waiting_.front());
    waiting_.pop_front();
    Status told;
    if (one.end > copied_) {
      told = ended_;
      if (told.ok()) {
        unavailable_.fetch_add(1, std::memory_order_relaxed);
        told = {StatusCode::kBucketUnavailable,
                "the bucket did not take this within " + std::to_string(waitNanos_ / 1'000'000) +
                    " ms (bucket.wait_ms); it may be stored: send it again"};
      }
    }
    lock.unlock();
    one.answer(told);
    lock.lock();
  }
}

}  // namespace seriesdb
