#include "query/fold/integer_fold.h"

#include <algorithm>

#include "query/expression/bucket.h"

namespace seriesdb {

void IntegerFold::beginSeries(std::uint32_t group, SeriesId series) {
  group_ = group;
  series_ = series;
}

void IntegerFold::add(std::span<const Timestamp> ts, std::span<const std::int64_t> values) {
  for (std::size_t at = 0; at < ts.size();) {
    std::size_t count = ts.size() - at;
    if (plan_.bucket) {
      const Timestamp end = bucketRange(*plan_.bucket, bucketOf(*plan_.bucket, ts[at])).end;
      const auto from = ts.begin() + static_cast<std::ptrdiff_t>(at);
      count = static_cast<std::size_t>(std::upper_bound(from, ts.end(), end) - from);
    }
    addStretch(ts.subspan(at, count), values.subspan(at, count));
    at += count;
  }
}

// Returns the part of a cell, and adds `count` to the cell's count.
IntegerFold::Part& IntegerFold::partOf(std::uint32_t group, std::int64_t bucket,
                                       std::uint64_t count, bool& isNew) {
  GroupCell& cell = table_.cellOf(group, bucket);
  isNew = cell.count == 0;
  cell.count += count;
  const auto at = static_cast<std::size_t>(&cell - table_.cells().data());
  if (at >= parts_.size()) parts_.resize(at + 1);
  return parts_[at];
}

void IntegerFold::reach(Part& part, const Edge& first, const Edge& last) {
  if (first.isBefore(part.first)) part.first = first;
  if (part.last.isBefore(last)) part.last = last;
}

void IntegerFold::addStretch(std::span<const Timestamp> ts, std::span<const std::int64_t> values) {
  bool isNew = false;
  const std::int64_t bucket =
      plan_.bucket ? groupedBucket(*plan_.bucket, bucketOf(*plan_.bucket, ts.front())) : 0;
  Part& part = partOf(group_, bucket, ts.size(), isNew);
  const Edge first{ts.front(), series_, values.front()};
  const Edge last{ts.back(), series_, values.back()};
  if (isNew) part.least = part.greatest = part.first = part.last = first;
  reach(part, first, last);
  if (needs_.sum) {
    for (const std::int64_t value : values) part.sum += value;
  }
  if (needs_.minMax) {
    const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
    // std::minmax_element() returns the last of equal maxima; the first one counts.
    const auto top = std::find(values.begin(), greatest + 1, *greatest);
    const auto edgeOf = [&](auto found) {
      return Edge{ts[static_cast<std::size_t>(found - values.begin())], series_, *found};
    };
    widen(part, edgeOf(least), edgeOf(top));
  }
  if (needs_.values) part.values.insert(part.values.end(), values.begin(), values.end());
}

void IntegerFold::merge(IntegerFold& other) {
  const std::vector<GroupCell>& cells = other.table_.cells();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    bool isNew = false;
    Part& part = partOf(cells[i].group, cells[i].bucket, cells[i].count, isNew);
    Part& added = other.parts_[i];
    if (isNew) {
      part = std::move(added);
      continue;
    }
    part.sum += added.sum;
    widen(part, added.least, added.greatest);
    reach(part, added.first, added.last);
    part.values.insert(part.values.end(), added.values.begin(), added.values.end());
  }
}

std::size_t IntegerFold::appendTo(ResultColumn& column, const AggregateColumn& aggregate,
                                  const GroupCell* cell, const GoOn& goOn) {
  using Kind = AggregateKind;
  bool isNull = cell == nullptr;
  std::int64_t value = 0;
  std::size_t work = 0;
  if (isNull) {
    isNull = aggregate.kind != Kind::kCount && aggregate.kind != Kind::kCountDistinct;
  } else {
    Part& part = parts_[static_cast<std::size_t>(cell - table_.cells().data())];
    work = part.values.size();
    switch (aggregate.kind) {
      case Kind::kSum:
        isNull = part.sum < INT64_MIN || part.sum > INT64_MAX;
        if (!isNull) value = static_cast<std::int64_t>(part.sum);
        break;
      case Kind::kMin:
        value = part.least.value;
        break;
      case Kind::kMax:
        value = part.greatest.value;
        break;
      case Kind::kMinTime:
        value = part.least.ts;
        break;
      case Kind::kMaxTime:
        value = part.greatest.ts;
        break;
      case Kind::kFirst:
        value = part.first.value;
        break;
      case Kind::kLast:
        value = part.last.value;
        break;
      case Kind::kCountDistinct:
        value = countDistinct(part.values, goOn);
        break;
      default:
        value = static_cast<std::int64_t>(cell->count);
    }
  }
  column.integers.push_back(value);
  column.nulls.push_back(isNull ? 1 : 0);
  return work;
}

}  // namespace seriesdb
