// Keys and leaves of the entries of a state in a tree. Internal to ledger/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/status.h"
#include "storage/ledger/state_tree.h"

namespace seriesdb {

inline constexpr std::string_view kWalFloorKey = "wal_floor";
inline constexpr std::string_view kFlushedKey = "flushed_sequence";
inline constexpr std::string_view kAnnotationsKey = "annotations";
inline constexpr std::string_view kSeriesKey = "series";
inline constexpr std::string_view kNextSegmentKey = "next_segment";
inline constexpr std::string_view kRetentionClockKey = "retention_clock";
inline constexpr std::string_view kRetentionMarkKey = "retention_mark";
inline constexpr std::string_view kClassPrefix = "class/";

// Part of the disk format.
inline constexpr std::uint64_t kSeriesOfLeaf = 512;

// Big-endian, so that keys sort by number.
inline std::string numberKey(std::uint64_t number) {
  std::string key(sizeof number, '\0');
  for (std::size_t i = key.size(); i-- > 0; number >>= 8) key[i] = static_cast<char>(number & 0xff);
  return key;
}

// 0 if the key has the wrong size.
inline std::uint64_t keyNumber(std::string_view key) {
  if (key.size() != sizeof(std::uint64_t)) return 0;
  std::uint64_t number = 0;
  for (const char one : key) number = number << 8 | static_cast<std::uint8_t>(one);
  return number;
}

}  // namespace seriesdb
