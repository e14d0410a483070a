#include "fold/fold_kernels.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/clones.h"
#include "base/value_fold.h"

namespace seriesdb {
namespace {

// From each value to the next.
SERIESDB_CLONES void gainsBetween(const double* at, std::size_t count, double* out) {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = at[i + 1] < at[i] ? at[i + 1] : at[i + 1] - at[i];
  }
}

}  // namespace

SERIESDB_CLONES double foldSquares(std::span<const double> values, double mean) {
  constexpr std::size_t kLanes = 8;
  using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));
  const double* at = values.data();
  std::size_t left = values.size();
  Lanes sum{};
  for (; left >= kLanes; left -= kLanes, at += kLanes) {
    Lanes next;
    std::memcpy(&next, at, sizeof next);
    next -= mean;
    sum += next * next;
  }
  double out = 0;
  for (std::size_t i = 0; i < kLanes; ++i) out += sum[i];
  for (; left > 0; --left, ++at) out += (*at - mean) * (*at - mean);
  return out;
}

void addIncrease(std::span<const double> values, CompensatedSum& sum) {
  // What is held between two passes, in the nearest cache.
  constexpr std::size_t kStripSize = 1024;
  std::array<double, kStripSize> gains;
  for (std::size_t at = 1; at < values.size(); at += kStripSize) {
    const std::size_t count = std::min(kStripSize, values.size() - at);
    gainsBetween(values.data() + at - 1, count, gains.data());
    addValues(std::span<const double>(gains).first(count), sum);
  }
}

}  // namespace seriesdb
