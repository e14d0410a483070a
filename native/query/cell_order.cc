#include "query/cell_order.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "query/expression/bucket.h"

namespace seriesdb {
namespace {

using Places = std::vector<std::uint32_t>;

// If the buckets span more than kSpanMax times the cells, they are sorted by comparison.
constexpr std::uint64_t kSpanMax = 4;

// Indexed by group: the rank of its values of these keys. Equal values share a rank.
std::vector<std::uint32_t> ranksOf(const GroupIndex& groups, const Places& keys) {
  std::vector<std::uint32_t> ascending(groups.groupCount);
  std::iota(ascending.begin(), ascending.end(), 0u);
  const auto isBefore = [&](std::uint32_t a, std::uint32_t b) {
    for (const std::uint32_t key : keys) {
      const std::vector<std::uint32_t>& codes = groups.keys[key].codes;
      if (codes[a] != codes[b]) return codes[a] < codes[b];
    }
    return false;
  };
  if (!std::is_sorted(ascending.begin(), ascending.end(), isBefore)) {
    std::sort(ascending.begin(), ascending.end(), isBefore);
  }
  std::vector<std::uint32_t> ranks(groups.groupCount);
  std::uint32_t rank = 0;
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    if (i > 0 && isBefore(ascending[i - 1], ascending[i])) ++rank;
    ranks[ascending[i]] = rank;
  }
  return ranks;
}

class CellOrder {
 public:
  explicit CellOrder(std::span<const GroupCell> cells) : cells_(cells), rows_(cells.size()) {
    std::iota(rows_.begin(), rows_.end(), 0u);
  }

  // Both sort stably.
  void byGroups(const std::vector<std::uint32_t>& ranks) {
    countBy(ranks.size(), [&](std::uint32_t row) { return ranks[cells_[row].group]; });
  }
  void byBuckets(const BucketSpec& spec) {
    std::vector<std::uint64_t> words(cells_.size());
    std::uint64_t least = UINT64_MAX;
    std::uint64_t greatest = 0;
    for (std::size_t row = 0; row < words.size(); ++row) {
      words[row] = bucketWord(spec, cells_[row].bucket);
      least = std::min(least, words[row]);
      greatest = std::max(greatest, words[row]);
    }
    if (words.empty() || least == greatest) return;
    if (greatest - least < kSpanMax * words.size()) {
      const auto span = static_cast<std::size_t>(greatest - least + 1);
      countBy(span, [&](std::uint32_t row) { return words[row] - least; });
      return;
    }
    std::stable_sort(rows_.begin(), rows_.end(),
                     [&words](std::uint32_t a, std::uint32_t b) { return words[a] < words[b]; });
  }
  std::vector<std::uint32_t> take() { return std::move(rows_); }

 private:
  template <typename RankOf>
  void countBy(std::size_t rankCount, const RankOf& rankOf) {
    std::vector<std::uint32_t> next(rankCount + 1);
    for (const std::uint32_t row : rows_) ++next[rankOf(row) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<std::uint32_t> ordered(rows_.size());
    for (const std::uint32_t row : rows_) ordered[next[rankOf(row)]++] = row;
    rows_ = std::move(ordered);
  }

  const std::span<const GroupCell> cells_;
  std::vector<std::uint32_t> rows_;
};

// True if the rows are in order already, as the rows of few series are.
template <typename PlaceOf>
bool isAscending(std::size_t count, PlaceOf placeOf) {
  if (count == 0) return true;
  auto previous = placeOf(0);
  for (std::size_t row = 1; row < count; ++row) {
    const auto place = placeOf(row);
    if (place < previous) return false;
    previous = place;
  }
  return true;
}

}  // namespace

std::uint64_t bucketWord(const BucketSpec& spec, std::int64_t bucket) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  return hasStart(spec, bucket) ? static_cast<std::uint64_t>(bucket) ^ kSign : UINT64_MAX;
}

std::vector<std::uint32_t> orderCells(const AggregatePlan& plan, const GroupIndex& groups,
                                      std::span<const GroupCell> cells,
                                      std::span<const std::uint32_t> order) {
  Places before;
  Places behind;
  bool hasBucket = false;
  for (const std::uint32_t key : order) {
    const bool isBucket = plan.keys[key].kind == KeyKind::kBucket;
    if (!isBucket) (hasBucket ? behind : before).push_back(key);
    hasBucket = hasBucket || isBucket;
  }
  const std::vector<std::uint32_t> first = ranksOf(groups, before);
  const std::vector<std::uint32_t> last = ranksOf(groups, behind);
  CellOrder cellOrder(cells);
  const bool isOrdered = isAscending(cells.size(), [&](std::size_t row) {
    const GroupCell& cell = cells[row];
    return std::tuple(first[cell.group], hasBucket ? bucketWord(*plan.bucket, cell.bucket) : 0,
                      last[cell.group]);
  });
  if (isOrdered) return cellOrder.take();
  if (!behind.empty()) cellOrder.byGroups(last);
  if (hasBucket) cellOrder.byBuckets(*plan.bucket);
  if (!before.empty()) cellOrder.byGroups(first);
  return cellOrder.take();
}

}  // namespace seriesdb
