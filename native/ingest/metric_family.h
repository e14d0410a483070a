// Metric families as senders describe them, and the descriptors of our metrics.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ingest/staging.h"

namespace seriesdb {

// The numbers are those of Prometheus' protocols.
enum class FamilyKind : std::uint8_t {
  kUntold,
  kCounter,
  kGauge,
  kHistogram,
  kGaugeHistogram,
  kSummary,
  kInfo,
  kStateset,
};

struct MetricFamily {
  FamilyKind kind = FamilyKind::kUntold;
  std::string_view name;
  std::string_view help;
  std::string_view unit;
  // A counter's metric may have the family's name, with or without `_total`.
  bool mayLackTotal = false;
};

// Keeps the description for every metric of the family, as far as its parts are still unknown.
// Skips all of it if a text is not UTF-8 or has more than `textSizeMax` bytes; otherwise skips
// parts that conflict with earlier ones. Returns the reason of a skip.
std::optional<SkipReason> keepFamily(const MetricFamily& sent, std::size_t textSizeMax,
                                     Staging& staging);

}  // namespace seriesdb
