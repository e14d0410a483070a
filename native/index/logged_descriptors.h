// Descriptors that are in the WAL but not yet in CATALOG. One thread adds; any thread may ask for
// their memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "index/series_index.h"

namespace seriesdb {

class LoggedDescriptors {
 public:
  LoggedDescriptors() = default;
  LoggedDescriptors(LoggedDescriptors&& other) noexcept { *this = std::move(other); }
  LoggedDescriptors& operator=(LoggedDescriptors&& other) noexcept {
    all_ = std::exchange(other.all_, {});
    bytes_ = other.bytes_.exchange(0);
    return *this;
  }

  void add(MetricDescriptor one) {
    bytes_.fetch_add(sizeof(one) + textBytesOf(one), std::memory_order_relaxed);
    all_.push_back(std::move(one));
  }
  // Moves all descriptors out.
  LoggedDescriptors take() { return std::move(*this); }

  std::span<const MetricDescriptor> all() const { return all_; }
  std::uint64_t memoryBytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  std::vector<MetricDescriptor> all_;
  std::atomic<std::uint64_t> bytes_{0};
};

}  // namespace seriesdb
