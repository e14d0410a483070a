// What a sender says of a metric family, and thereby of our metrics.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ingest/staging.h"

namespace seriesdb {

// With the numbers of Prometheus' protocols.
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
  // The metric of a counter may be called by the name of its family, or have `_total` behind it.
  bool mayLackTotal = false;
};

// Keeps it for every metric of the family, as far as nothing else is known of them. The reason when
// it is skipped: all of it, for a text that cannot be held, or the parts that differ from what came
// first. Texts of more than `textSizeMax` bytes are not held.
std::optional<SkipReason> keepFamily(const MetricFamily& sent, std::size_t textSizeMax,
                                     Staging& staging);

}  // namespace seriesdb
