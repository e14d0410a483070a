// Percentiles and distinct counts: what needs all values of a group at once.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace seriesdb {

// False when the query is over: what runs then ends within some 20 ms, with any result.
using GoOn = std::function<bool()>;

// Linear between the ranks around quantile * (n - 1), the quantile in 0…1. Reorders the values.
// REQUIRES: there are some.
double percentileOf(std::vector<double>& values, double quantile, const GoOn& goOn);

// Sorts the values, and keeps them: another aggregate may want them.
std::int64_t countDistinct(std::vector<double>& values, const GoOn& goOn);
std::int64_t countDistinct(std::vector<std::int64_t>& values, const GoOn& goOn);

}  // namespace seriesdb
