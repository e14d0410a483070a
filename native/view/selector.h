// Which series a read is about, and whether its samples can be read.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "index/series_index.h"
#include "view/view.h"

namespace seriesdb {

// By id, by name with exact labels, or by bare name (D7, D8).
struct Selector {
  std::optional<SeriesId> id;
  std::string name;
  // Sorted by key; nothing = a bare name. One without a text is as if it were not given.
  std::optional<OwnedLabels> labels;
  // Sorted by key. As if no series were there but those that have all of these: a bare name means
  // the series that has no others, and exact labels are completed by them.
  OwnedLabels required;
};

// Nothing when there is no such series; kAmbiguousSelector for a bare name that several share.
Result<std::optional<SeriesRef>> selectSeries(const SeriesIndex& index, const Selector& selector);

// kStorageCorrupt when a damaged segment may hold samples of the range, of whatever series.
Status checkReadable(const View& view, TimeRange range);

}  // namespace seriesdb
