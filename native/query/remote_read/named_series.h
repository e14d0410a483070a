// The labels of series as Prometheus sees them, and the order by them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "common/base/status.h"
#include "index/series_index.h"

namespace seriesdb {

// Holds the labels of one series at a time.
class PromLabels {
 public:
  // If `isEscaped`, each character of a metric or key that Prometheus before 3.0 refuses becomes an
  // underscore. If keys become equal, the label that had this key unchanged stays, otherwise the
  // first.
  explicit PromLabels(bool isEscaped = false) : isEscaped_(isEscaped) {}

  // Sorted by key, with the metric as `__name__`. Labels with an empty value count as absent. The
  // metric hides a label named `__name__`. Valid until the next call.
  std::span<const Label> of(const SeriesIndex& index, SeriesRef ref);

 private:
  void escape();

  const bool isEscaped_;
  std::vector<Label> labels_;
  std::vector<std::string> texts_;  // Escaped names.
};

// Receives the bytes held so far. If it refuses, the sort ends with its status.
using HoldBytes = std::function<Status(std::uint64_t)>;
// Sorts series by these labels, pair by pair; a series whose pairs are a prefix of another's is
// first.
Status sortByPromLabels(const SeriesIndex& index, PromLabels& labels, std::vector<SeriesRef>& refs,
                        const HoldBytes& hold);

}  // namespace seriesdb
