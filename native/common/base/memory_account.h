// Counts the bytes that all living objects of one kind hold. Objects report their own changes, and
// destructors release them, so nothing is walked to be counted.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace seriesdb {

// The sum. Any thread; relaxed.
class MemoryAccount {
 public:
  std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  friend class MemoryHold;
  // Bytes given back are added as their two's complement.
  void add(std::uint64_t change) { bytes_.fetch_add(change, std::memory_order_relaxed); }

  std::atomic<std::uint64_t> bytes_{0};
};

// One object's share of an account; the account may end first. Not thread-safe.
class MemoryHold {
 public:
  // Counts nowhere.
  MemoryHold() = default;
  explicit MemoryHold(std::shared_ptr<MemoryAccount> account) : account_(std::move(account)) {}
  ~MemoryHold() { set(0); }
  MemoryHold(MemoryHold&& other) noexcept
      : account_(std::move(other.account_)), bytes_(std::exchange(other.bytes_, 0)) {}
  MemoryHold& operator=(MemoryHold&& other) noexcept {
    std::swap(account_, other.account_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  std::uint64_t bytes() const { return bytes_; }
  // Sets the number of held bytes.
  void set(std::uint64_t bytes) {
    if (account_ && bytes != bytes_) account_->add(bytes - bytes_);
    bytes_ = bytes;
  }

 private:
  std::shared_ptr<MemoryAccount> account_;
  std::uint64_t bytes_ = 0;
};

}  // namespace seriesdb
