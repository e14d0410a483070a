// Selects the series of a read, and checks that its samples are readable.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/status.h"
#include "common/types/identity.h"

namespace seriesdb {

class SeriesIndex;
struct TimeRange;
struct View;

// By id, by name with exact labels, or by bare name (D7, D8).
struct Selector {
  std::optional<SeriesId> id;
  std::string name;
  // Sorted by key; nothing = a bare name. Empty values count as absent.
  std::optional<OwnedLabels> labels;
  // Sorted by key. Restricts the selection to series with all of these labels. A bare name then
  // prefers the series with no other labels. Exact labels are completed by these.
  OwnedLabels required;
};

// Nothing if no series matches; kAmbiguousSelector for a bare name of several series.
Result<std::optional<SeriesRef>> selectSeries(const SeriesIndex& index, const Selector& selector);

// kStorageCorrupt if a damaged segment may have samples of the range, of any series.
Status checkReadable(const View& view, TimeRange range);

}  // namespace seriesdb
