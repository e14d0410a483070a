// The labels of series as Prometheus has them, and the order that they make.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "common/base/status.h"
#include "index/series_index.h"

namespace seriesdb {

// The labels of one series at a time.
class PromLabels {
 public:
  // If `isEscaped`, each character of the metric and of keys that Prometheus before 3.0 refuses is
  // an underscore. Of labels whose keys become the same, the one that has the key itself stays,
  // otherwise the first.
  explicit PromLabels(bool isEscaped = false) : isEscaped_(isEscaped) {}

  // Sorted by key, the metric as `__name__`, without those that have no value, which is no label
  // there. Another label of that key is hidden by the metric. Holds until the next call.
  std::span<const Label> of(const SeriesIndex& index, SeriesRef ref);

 private:
  void escape();

  const bool isEscaped_;
  std::vector<Label> labels_;
  std::vector<std::string> texts_;  // Escaped names.
};

// Told how many bytes are held by now; what it refuses is given up.
using HoldBytes = std::function<Status(std::uint64_t)>;
// Sorts series by these labels, pair by pair; one that has fewer, and else the same, is first.
Status sortByPromLabels(const SeriesIndex& index, PromLabels& labels, std::vector<SeriesRef>& refs,
                        const HoldBytes& hold);

}  // namespace seriesdb
