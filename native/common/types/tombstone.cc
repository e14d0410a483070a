#include "common/types/tombstone.h"

#include <algorithm>
#include <limits>

namespace seriesdb {
namespace {

// The first hole that does not end before `ts`.
std::vector<TimeRange>::const_iterator firstFrom(const std::vector<TimeRange>& holes,
                                                 Timestamp ts) {
  return std::partition_point(holes.begin(), holes.end(),
                              [ts](const TimeRange& hole) { return hole.end < ts; });
}

}  // namespace

bool Tombstone::holds(SeriesRef ref) const {
  return ref >= refs.front() && ref <= refs.back() &&
         std::binary_search(refs.begin(), refs.end(), ref);
}

bool Tombstone::covers(const Tombstone& earlier) const {
  if (range.start > earlier.range.start || range.end < earlier.range.end) return false;
  return refs.size() >= earlier.refs.size() &&
         std::includes(refs.begin(), refs.end(), earlier.refs.begin(), earlier.refs.end());
}

void encodeTombstone(ByteBuffer& out, const Tombstone& tombstone) {
  appendVarint(out, zigzag(tombstone.range.start));
  appendVarint(out, zigzag(tombstone.range.end));
  appendVarint(out, tombstone.refs.size());
  SeriesRef next = 0;
  for (const SeriesRef ref : tombstone.refs) {
    appendVarint(out, ref - next);
    next = ref + 1;
  }
}

Result<Tombstone> decodeTombstone(ByteReader& reader) {
  Tombstone tombstone;
  tombstone.range.start = unzigzag(reader.readVarint());
  tombstone.range.end = unzigzag(reader.readVarint());
  const std::uint64_t count = reader.readVarint();
  // Every series takes a byte, so a count above the remaining bytes is found before allocating.
  if (!reader.ok() || count == 0 || count > reader.rest().size()) {
    return Status::corrupt("tombstone: bad series count");
  }
  if (tombstone.range.start > tombstone.range.end) {
    return Status::corrupt("tombstone: its end is before its start");
  }
  tombstone.refs.reserve(static_cast<std::size_t>(count));
  constexpr std::uint64_t kRefMax = std::numeric_limits<SeriesRef>::max();
  // The least value of the next ref; above the highest ref, no more can follow.
  std::uint64_t next = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t step = reader.readVarint();
    if (!reader.ok() || next > kRefMax || step > kRefMax - next) {
      return Status::corrupt("tombstone: bad series ref");
    }
    next += step;
    tombstone.refs.push_back(static_cast<SeriesRef>(next++));
  }
  return tombstone;
}

void Masks::add(const Tombstone& tombstone, TimeRange range) {
  if (overlaps(tombstone.range, range)) masks_.push_back({tombstone.range, tombstone.sequence});
}

void Masks::sort() {
  std::sort(masks_.begin(), masks_.end(),
            [](const Mask& a, const Mask& b) { return a.range.start < b.range.start; });
}

std::vector<TimeRange> Masks::holesOf(std::uint64_t floor) const {
  std::vector<TimeRange> holes;
  for (const Mask& mask : masks_) {
    if (mask.sequence <= floor) continue;
    if (!holes.empty() && mask.range.start <= holes.back().end) {
      holes.back().end = std::max(holes.back().end, mask.range.end);
    } else if (!holes.empty() && mask.range.start - 1 == holes.back().end) {
      holes.back().end = mask.range.end;
    } else {
      holes.push_back(mask.range);
    }
  }
  return holes;
}

bool touchesHole(const std::vector<TimeRange>& holes, TimeRange range) {
  const auto found = firstFrom(holes, range.start);
  return found != holes.end() && found->start <= range.end;
}

bool isInHole(const std::vector<TimeRange>& holes, TimeRange range) {
  const auto found = firstFrom(holes, range.start);
  return found != holes.end() && found->start <= range.start && range.end <= found->end;
}

}  // namespace seriesdb
