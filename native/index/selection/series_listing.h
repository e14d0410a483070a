// Facts about metrics, series and label values, for discovery.
//
// Texts are views that live as long as the index. Lists are in bytewise order. Only visible series
// count. The index is locked for a few hundred names or values at a time, and not at all while
// series are examined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "common/types/sample.h"
#include "index/selection/series_filter.h"

namespace seriesdb {

struct SeriesTables;

// One series; the next `pairCount` canonical label pairs `"key":"value"` of SeriesBatch::pairs
// belong to it.
struct SeriesFacts {
  SeriesId id = 0;
  std::string_view name;
  TimeRange bounds{0, 0};
  std::uint32_t pairCount = 0;
};
struct SeriesBatch {
  std::vector<SeriesFacts> series;
  std::vector<std::string_view> pairs;
};

struct MetricFacts {
  std::string_view name;
  std::uint32_t seriesCount = 0;
  std::uint32_t inactiveCount = 0;  // Series whose last sample is before the given time.
  TimeRange bounds{0, 0};
  std::vector<std::string_view> labelKeys;
};

// A part of a list: at most countMax entries that begin with `prefix` and come after `after`, if
// given.
struct ListPart {
  std::string_view prefix;
  std::optional<std::string_view> after;
  std::size_t countMax = SIZE_MAX;
};

// The `countMax` series with the lowest ids, ascending by id.
void sortById(const SeriesTables& tables, std::vector<SeriesRef>& refs, std::size_t countMax);
// Replaces the content of `batch`. For some hundred series at a time. Leaves out series that are
// not visible, or no longer.
void describeSeries(const SeriesTables& tables, std::span<const SeriesRef> refs,
                    SeriesBatch& batch);

// A series whose last sample is before `inactiveBefore` counts as inactive.
std::vector<MetricFacts> listMetrics(const SeriesTables& tables, const ListPart& part,
                                     std::optional<Timestamp> inactiveBefore);
// The metrics of these series, with facts of these series alone. Leaves out invisible series.
std::vector<MetricFacts> groupByMetric(const SeriesTables& tables, std::span<const SeriesRef> refs,
                                       std::optional<Timestamp> inactiveBefore);

std::vector<std::string_view> listLabelValues(const SeriesTables& tables, std::string_view key,
                                              const ListPart& part);
// The values of these series. REQUIRES: ascending refs.
std::vector<std::string_view> listLabelValues(const SeriesTables& tables, std::string_view key,
                                              const ListPart& part,
                                              std::span<const SeriesRef> refs);

}  // namespace seriesdb
