// Percentiles and distinct counts: aggregates that need all values of a group at once.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace seriesdb {

// Returns false if the query is over. The computation then ends within some 20 ms, with any result.
using GoOn = std::function<bool()>;

// Linear interpolation between the ranks around quantile * (n - 1); quantile in 0…1. Reorders the
// values. REQUIRES: at least one value.
double percentileOf(std::vector<double>& values, double quantile, const GoOn& goOn);

// Sorts the values and keeps all of them: another aggregate may need them.
std::int64_t countDistinct(std::vector<double>& values, const GoOn& goOn);
std::int64_t countDistinct(std::vector<std::int64_t>& values, const GoOn& goOn);

}  // namespace seriesdb
