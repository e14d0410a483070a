// Chooses base, widths, window and frequencies of coded blocks by the estimated size.
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "format/codec/coded_blocks.h"

namespace seriesdb {
namespace {

// Cells up to this far from the base are counted one by one.
constexpr std::int64_t kReach = kEscapeSymbol - 1;
constexpr std::size_t kCounted = 2 * kReach + 1;
constexpr double kSlotsAsDouble = kSymbolSlots;

// The bits of a symbol, by its frequency.
const std::array<double, kSymbolSlots + 1>& costs() {
  static const auto table = [] {
    std::array<double, kSymbolSlots + 1> made{};
    for (std::size_t f = 1; f <= kSymbolSlots; ++f) {
      made[f] = std::log2(kSlotsAsDouble / static_cast<double>(f));
    }
    return made;
  }();
  return table;
}

using SymbolCounts = std::array<std::uint32_t, kSymbolCount>;

double bitsOf(const SymbolCounts& counts, const SymbolFrequencies& frequencies) {
  double bits = 0;
  for (std::size_t i = 0; i < kSymbolCount; ++i) bits += counts[i] * costs()[frequencies[i]];
  return bits;
}

// Starts from rounded-down shares, then moves slots one by one from where they matter least to
// where they help most. REQUIRES: some count is not zero.
SymbolFrequencies shareSlots(const SymbolCounts& counts) {
  double total = 0;
  for (const std::uint32_t count : counts) total += count;
  SymbolFrequencies shares{};
  int free = kSymbolSlots;
  for (std::size_t i = 0; i < kSymbolCount; ++i) {
    if (counts[i] == 0) continue;
    const double part = kSlotsAsDouble * counts[i] / total;
    shares[i] = static_cast<std::uint8_t>(std::max(1.0, std::floor(part)));
    free -= shares[i];
  }
  const auto& cost = costs();
  for (; free != 0; free += free < 0 ? 1 : -1) {
    const int step = free < 0 ? -1 : 1;
    std::size_t best = kSymbolCount;
    double bestChange = 0;
    for (std::size_t i = 0; i < kSymbolCount; ++i) {
      if (counts[i] == 0 || (step < 0 && shares[i] == 1)) continue;
      const std::size_t changed = static_cast<std::size_t>(shares[i] + step);
      const double change = counts[i] * (cost[changed] - cost[shares[i]]);
      if (best == kSymbolCount || change < bestChange) {
        best = i;
        bestChange = change;
      }
    }
    shares[best] = static_cast<std::uint8_t>(shares[best] + step);
  }
  return shares;
}

// The number of occurrences of each cell.
struct CellCounts {
  std::array<std::uint32_t, kCounted> near{};
  std::uint32_t far = 0;
  std::size_t farBytes = 0;  // Bytes of the escapes of far cells.

  void add(std::int64_t cell) {
    if (cell >= -kReach && cell <= kReach) {
      ++near[static_cast<std::size_t>(cell + kReach)];
      return;
    }
    ++far;
    farBytes += varintSize(zigzag(cell));
  }
};

struct Shape {
  unsigned zero;
  SymbolFrequencies frequencies;
  double bits;  // Bits of symbols and escapes.
};

// Chooses the window of 15 cells with the most values, less the cells that cost more slots than
// escapes would.
Shape shapeOf(const CellCounts& cells) {
  std::size_t window = 0;
  std::uint32_t inside = 0;
  std::uint32_t sum = 0;
  std::uint32_t total = cells.far;
  for (std::size_t end = 0; end < kCounted; ++end) {
    sum += cells.near[end];
    total += cells.near[end];
    if (end >= kEscapeSymbol) sum -= cells.near[end - kEscapeSymbol];
    if (end + 1 < kEscapeSymbol || sum <= inside) continue;
    inside = sum;
    window = end + 1 - kEscapeSymbol;
  }
  SymbolCounts counts{};
  for (std::size_t i = 0; i < kEscapeSymbol; ++i) counts[i] = cells.near[window + i];
  // A near cell takes one byte as an escape.
  std::uint32_t& escapes = counts[kEscapeSymbol];
  escapes = total - inside;
  double escapeBits = 8.0 * static_cast<double>(cells.farBytes + (escapes - cells.far));

  const auto zero = static_cast<unsigned>(kReach - static_cast<std::int64_t>(window));
  Shape best{zero, shareSlots(counts), 0};
  best.bits = bitsOf(counts, best.frequencies) + escapeBits;
  for (;;) {
    std::size_t rarest = kSymbolCount;
    for (std::size_t i = 0; i < kEscapeSymbol; ++i) {
      if (counts[i] == 0) continue;
      if (rarest == kSymbolCount || counts[i] < counts[rarest]) rarest = i;
    }
    if (rarest == kSymbolCount) return best;
    escapes += counts[rarest];
    escapeBits += 8.0 * counts[rarest];
    counts[rarest] = 0;
    const SymbolFrequencies shares = shareSlots(counts);
    const double bits = bitsOf(counts, shares) + escapeBits;
    if (bits >= best.bits) return best;
    best.frequencies = shares;
    best.bits = bits;
  }
}

std::int64_t medianOf(std::span<const std::int64_t> values) {
  constexpr std::size_t kSampled = 255;
  std::array<std::int64_t, kSampled> sampled{};
  const std::size_t count = std::min(values.size(), kSampled);
  for (std::size_t i = 0; i < count; ++i) sampled[i] = values[i * values.size() / count];
  const auto middle = sampled.begin() + static_cast<std::ptrdiff_t>(count / 2);
  std::nth_element(sampled.begin(), middle, sampled.begin() + static_cast<std::ptrdiff_t>(count));
  return *middle;
}

class Planner {
 public:
  Planner(std::span<const std::int64_t> values, CodedPlan& plan) : values_(values), plan_(plan) {
    plan_.base = medianOf(values);
    plan_.size = HUGE_VAL;
  }

  void run() {
    measureSpreads();
    const unsigned middle = spreadAt(values_.size() / 2);
    const unsigned high = spreadAt(values_.size() * 15 / 16);
    bool isBetter = true;
    for (unsigned width = lowered(middle, 3); isBetter && width <= lowered(high, 1); ++width) {
      isBetter = tryWidths([width](std::size_t) { return width; }, true);
    }
    // If the spread varies among blocks, give each block the width of its own spread.
    const auto [least, most] = std::minmax_element(
        medians_.begin(), medians_.begin() + static_cast<std::ptrdiff_t>(blockCount()));
    isBetter = *least < *most;
    for (unsigned less = 3; isBetter; --less) {
      const auto widthOf = [&](std::size_t block) { return lowered(medians_[block], less); };
      isBetter = tryWidths(widthOf, false);
      if (less == 0) break;
    }
  }

 private:
  static unsigned lowered(unsigned width, unsigned less) { return width > less ? width - less : 0; }
  std::size_t blockCount() const { return (values_.size() + kBlockSize - 1) / kBlockSize; }

  // Measures the bits of the distances from the base: of all values, and the median of each block.
  void measureSpreads() {
    for (std::size_t block = 0; block < blockCount(); ++block) {
      std::array<std::uint32_t, 65> counts{};
      const std::span<const std::int64_t> values = blockAt(block);
      for (const std::int64_t v : values) {
        const auto away = static_cast<std::int64_t>(difference(v, plan_.base));
        ++counts[static_cast<std::size_t>(
            std::bit_width(static_cast<std::uint64_t>(away < 0 ? ~away : away)))];
      }
      std::uint32_t below = 0;
      unsigned median = 0;
      while ((below += counts[median]) <= values.size() / 2) ++median;
      medians_[block] = median;
      for (std::size_t i = 0; i < counts.size(); ++i) spreads_[i] += counts[i];
    }
  }
  unsigned spreadAt(std::size_t rank) const {
    std::size_t below = 0;
    unsigned spread = 0;
    while ((below += spreads_[spread]) <= rank) ++spread;
    return spread;
  }
  std::span<const std::int64_t> blockAt(std::size_t block) const {
    const std::size_t at = block * kBlockSize;
    return values_.subspan(at, std::min(kBlockSize, values_.size() - at));
  }

  // Tries these widths; true if they are the best so far.
  template <typename WidthOf>
  bool tryWidths(WidthOf widthOf, bool isOne) {
    CellCounts cells;
    double bytes = isOne ? 1 : static_cast<double>(blockCount());
    for (std::size_t block = 0; block < blockCount(); ++block) {
      const unsigned width = std::min(widthOf(block), kCodedWidthMax);
      const std::span<const std::int64_t> values = blockAt(block);
      for (const std::int64_t v : values) {
        cells.add(static_cast<std::int64_t>(difference(v, plan_.base)) >> width);
      }
      bytes += static_cast<double>((values.size() * width + 7) / 8);
    }
    const Shape shape = shapeOf(cells);
    bytes += shape.bits / 8;
    if (bytes >= plan_.size) return false;
    plan_.size = bytes;
    plan_.zero = shape.zero;
    plan_.frequencies = shape.frequencies;
    plan_.hasOneWidth = isOne;
    for (std::size_t block = 0; block < blockCount(); ++block) {
      plan_.widths[block] = static_cast<std::uint8_t>(std::min(widthOf(block), kCodedWidthMax));
    }
    return true;
  }

  const std::span<const std::int64_t> values_;
  CodedPlan& plan_;
  std::array<unsigned, PackingPlan::kBlocksMax> medians_;
  std::array<std::size_t, 65> spreads_{};
};

}  // namespace

void planCoding(std::span<const std::int64_t> values, CodedPlan& plan) {
  Planner(values, plan).run();
  // Head, frequencies and states.
  plan.size += static_cast<double>(kSymbolCount + 2 * kSymbolStates + 8);
}

}  // namespace seriesdb
