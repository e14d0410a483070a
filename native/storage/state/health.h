// The reasons of a degraded engine. Any thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/lock_order.h"

namespace seriesdb {

class Health {
 public:
  // No disk space for the WAL.
  static constexpr const char* kDiskTopic = "disk";
  // The copy of the WAL takes no more records, and writes are refused.
  static constexpr const char* kCopyTopic = "bucket over";
  // The topic of a segment that cannot be opened.
  static constexpr std::string_view kSegmentKind = "damaged_segment";
  static std::string segmentTopic(std::string_view name) {
    return std::string(kSegmentKind).append(" ").append(name);
  }

  // Makes the database read-only until it is reopened.
  void failWrites(const std::string& reason) {
    // The first failure is the cause; later ones are consequences.
    if (!isReadOnly_.exchange(true, std::memory_order_acq_rel)) report(kWriteTopic, reason);
  }
  // Why the database is read-only.
  std::string writeFailure() const {
    const std::lock_guard lock(mutex_);
    for (const auto& [topic, reason] : reasons_) {
      if (topic == kWriteTopic) return reason;
    }
    return {};
  }
  // Sets the sentence of a topic, or clears it with an empty reason.
  void report(const std::string& topic, const std::string& reason) {
    const std::lock_guard lock(mutex_);
    std::erase_if(reasons_, [&](const auto& entry) { return entry.first == topic; });
    if (!reason.empty()) reasons_.emplace_back(topic, reason);
  }
  // Whether a write is expected to fail: read-only, no disk space at the last try, or a copy of the
  // WAL that is over.
  bool blocksWrites() const {
    return isReadOnly() || isReported(kDiskTopic) || isReported(kCopyTopic);
  }
  bool isReported(const std::string& topic) const {
    const std::lock_guard lock(mutex_);
    return std::any_of(reasons_.begin(), reasons_.end(),
                       [&](const auto& entry) { return entry.first == topic; });
  }
  bool isReadOnly() const { return isReadOnly_.load(std::memory_order_acquire); }
  std::vector<std::string> reasons() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> all;
    for (const auto& [topic, reason] : reasons_) all.push_back(reason);
    return all;
  }
  // One word per reason; there are few different words.
  std::vector<std::string> kinds() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> all;
    for (const auto& [topic, reason] : reasons_) all.push_back(topic.substr(0, topic.find(' ')));
    return all;
  }

 private:
  static constexpr const char* kWriteTopic = "write";

  std::atomic<bool> isReadOnly_{false};
  mutable OrderedMutex<LockRank::kHealth> mutex_;
  std::vector<std::pair<std::string, std::string>> reasons_;
};

}  // namespace seriesdb
