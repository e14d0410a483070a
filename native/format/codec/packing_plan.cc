// Chooses base and width for each block by exact size.
#include <algorithm>
#include <bit>

#include "format/codec/bit_packing.h"

namespace seriesdb {
namespace {

unsigned widthOf(std::uint64_t v) { return 64 - static_cast<unsigned>(std::countl_zero(v)); }

struct Extent {
  std::int64_t low;
  std::int64_t high;
  unsigned width() const { return widthOf(difference(high, low)); }
};

Extent extentOf(std::span<const std::int64_t> values) {
  Extent extent{values[0], values[0]};
  for (const std::int64_t v : values) {
    extent.low = std::min(extent.low, v);
    extent.high = std::max(extent.high, v);
  }
  return extent;
}

// The number of residuals for each bit width; values below the base count by their complement.
struct Histogram {
  std::array<std::uint8_t, 65> above{};
  std::array<std::uint8_t, 65> below{};
  unsigned belowCount = 0;
};

void countResiduals(std::span<const std::int64_t> values, std::int64_t base, Histogram& histogram) {
  // Four counters side by side: neighbours often share a width, and one counter would stall.
  std::array<std::array<std::uint8_t, 65>, 4> counts{};
  std::size_t i = 0;
  for (; i + 4 <= values.size(); i += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) {
      ++counts[lane][widthOf(difference(values[i + lane], base))];
    }
  }
  for (; i < values.size(); ++i) ++counts[0][widthOf(difference(values[i], base))];
  for (std::size_t w = 0; w < 65; ++w) {
    histogram.above[w] =
        static_cast<std::uint8_t>(counts[0][w] + counts[1][w] + counts[2][w] + counts[3][w]);
  }
}

void countAround(std::span<const std::int64_t> values, std::int64_t base, Histogram& histogram) {
  for (const std::int64_t v : values) {
    const std::uint64_t residual = difference(v, base);
    const bool isBelow = static_cast<std::int64_t>(residual) < 0;
    auto& counts = isBelow ? histogram.below : histogram.above;
    ++counts[widthOf(isBelow ? ~residual : residual)];
    histogram.belowCount += isBelow ? 1 : 0;
  }
}

// The varint size of a zigzagged high part whose residual has `bits` bits.
std::uint32_t highSize(unsigned bits, unsigned width) {
  return ((bits > width ? bits - width : 0) + 1 + 6) / 7;
}

// The best width for a histogram; its `size` excludes the base.
BlockPlan bestWidth(const Histogram& histogram, std::size_t count, std::int64_t base) {
  // With more exceptions a narrower width does not pay: each exception costs two bytes or more.
  constexpr unsigned kExceptionsMax = 32;
  unsigned top = 64;
  while (top > 0 && histogram.above[top] == 0) --top;

  BlockPlan best{base, 0, 0, ~std::uint32_t{0}};
  unsigned exceptions = histogram.belowCount;
  for (unsigned width = top;; --width) {
    std::uint32_t size = 1 + static_cast<std::uint32_t>((count * width + 7) / 8);
    if (exceptions > 0) {
      size += 1 + exceptions;
      for (unsigned bits = width + 1; bits <= top; ++bits) {
        size += histogram.above[bits] * highSize(bits, width);
      }
      for (unsigned bits = 0; histogram.belowCount > 0 && bits <= 64; ++bits) {
        size += histogram.below[bits] * highSize(bits, width);
      }
    }
    // The shift that restores an exception must be below 64.
    const bool isLegal = exceptions == 0 || width < 64;
    if (isLegal && size < best.size) {
      best.width = static_cast<std::uint8_t>(width);
      best.exceptions = static_cast<std::uint8_t>(exceptions);
      best.size = size;
    }
    if (width == 0) break;
    exceptions += histogram.above[width];
    if (exceptions > histogram.belowCount + kExceptionsMax) break;
  }
  return best;
}

// A base that ignores low outliers, found from 16 samples; the minimum if there are none. Ignores
// two samples at either end, which may be outliers themselves.
std::int64_t trimmedBase(std::span<const std::int64_t> values, const Extent& full) {
  if (values.size() < 16 || full.width() < 4 || full.width() > 61) return full.low;
  std::array<std::int64_t, 16> samples;
  for (std::size_t i = 0; i < 16; ++i) samples[i] = values[i * values.size() / 16];
  std::sort(samples.begin(), samples.end());
  const std::int64_t low = samples[2];
  const std::uint64_t span = 2 * (difference(samples[13], low) + 1);
  if (difference(low, full.low) < span) return full.low;

  const auto floor = static_cast<std::int64_t>(static_cast<std::uint64_t>(low) - span);
  std::int64_t base = low;
  for (const std::int64_t v : values) {
    if (v >= floor) base = std::min(base, v);
  }
  return base;
}

// True if nearly all residuals are in the two widest classes, as low outliers cause.
bool isTopHeavy(const Histogram& histogram, std::size_t count) {
  std::size_t top = 64;
  while (top > 1 && histogram.above[top] == 0) --top;
  const std::size_t heavy = std::size_t{histogram.above[top]} + histogram.above[top - 1];
  return heavy >= count - count / 16;
}

BlockPlan planBlock(std::span<const std::int64_t> values, std::int64_t previousBase) {
  const Extent full = extentOf(values);
  const auto baseSize = [previousBase](std::int64_t base) {
    const std::int64_t step = static_cast<std::int64_t>(difference(base, previousBase));
    return static_cast<std::uint32_t>(varintSize(zigzag(step)));
  };
  if (full.width() == 0) return {full.low, 0, 0, 1 + baseSize(full.low)};
  // Such a wide block does not profit from exceptions, and their signs would need a special case.
  if (full.width() == 64) {
    const auto bytes = static_cast<std::uint32_t>(values.size() * 8);
    return {full.low, 64, 0, 1 + baseSize(full.low) + bytes};
  }

  Histogram histogram;
  countResiduals(values, full.low, histogram);
  BlockPlan best = bestWidth(histogram, values.size(), full.low);
  best.size += baseSize(full.low);

  if (!isTopHeavy(histogram, values.size())) return best;
  const std::int64_t base = trimmedBase(values, full);
  if (base == full.low) return best;
  Histogram around;
  countAround(values, base, around);
  BlockPlan trimmed = bestWidth(around, values.size(), base);
  if (trimmed.size == ~std::uint32_t{0}) return best;
  trimmed.size += baseSize(base);
  return trimmed.size < best.size ? trimmed : best;
}

}  // namespace

void planPacking(std::span<const std::int64_t> values, PackingPlan& plan) {
  plan.size = 0;
  std::int64_t base = 0;
  for (std::size_t at = 0; at < values.size(); at += kBlockSize) {
    const auto block = values.subspan(at, std::min(kBlockSize, values.size() - at));
    BlockPlan& chosen = plan.blocks[at / kBlockSize];
    chosen = planBlock(block, base);
    base = chosen.base;
    plan.size += chosen.size;
  }
}

}  // namespace seriesdb
