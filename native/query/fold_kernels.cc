#include "query/fold_kernels.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "query/clones.h"

namespace seriesdb {
namespace {
constexpr std::size_t kLanes = 8;
using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));

}  // namespace

SERIESDB_CLONES SumMinMax foldSumMinMax(std::span<const double> values) {
  const double* at = values.data();
  std::size_t left = values.size();
  SumMinMax out{0, *at, *at};
  if (left >= kLanes) {
    Lanes sum{};
    Lanes low = Lanes{} + *at;
    Lanes high = low;
    for (; left >= kLanes; left -= kLanes, at += kLanes) {
      Lanes next;
      std::memcpy(&next, at, sizeof next);
      sum += next;
      low = next < low ? next : low;
      high = next > high ? next : high;
    }
    for (std::size_t i = 0; i < kLanes; ++i) {
      out.sum += sum[i];
      out.min = std::min(out.min, low[i]);
      out.max = std::max(out.max, high[i]);
    }
  }
  for (; left > 0; --left, ++at) {
    out.sum += *at;
    out.min = std::min(out.min, *at);
    out.max = std::max(out.max, *at);
  }
  return out;
}

SERIESDB_CLONES double foldSquares(std::span<const double> values, double mean) {
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

SERIESDB_CLONES double foldIncrease(std::span<const double> values) {
  const double* at = values.data();
  std::size_t left = values.size();
  double out = 0;
  if (left > kLanes) {
    Lanes sum{};
    for (; left > kLanes; left -= kLanes, at += kLanes) {
      Lanes before;
      Lanes after;
      std::memcpy(&before, at, sizeof before);
      std::memcpy(&after, at + 1, sizeof after);
      sum += after < before ? after : after - before;
    }
    for (std::size_t i = 0; i < kLanes; ++i) out += sum[i];
  }
  for (; left > 1; --left, ++at) out += at[1] < at[0] ? at[1] : at[1] - at[0];
  return out;
}

}  // namespace seriesdb
