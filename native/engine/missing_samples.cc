#include "engine/missing_samples.h"

#include <numeric>

#include "engine/merge_cursor.h"
#include "engine/selector.h"
#include "model/identity.h"

namespace seriesdb {
namespace {

constexpr std::size_t kReadCount = 4096;

// The ref under which the index knows the series, or the one that is given.
SeriesRef knownRef(const SeriesIndex& index, const StagedSamples& samples, SeriesRef ref) {
  if ((ref & kPendingBit) == 0) return ref;
  const PendingSeries& series = samples.pendingSeries[ref & ~kPendingBit];
  std::vector<Label> labels;
  for (const auto& [key, value] : series.labels) labels.push_back({key, value});
  return index.find(identityText(series.name, labels)).value_or(ref);
}

}  // namespace

Status findMissing(const PinnedView& view, SeriesRef ref, std::span<const Timestamp> ts,
                   std::vector<std::uint32_t>& missing) {
  missing.clear();
  const TimeRange range{ts.front(), ts.back()};
  Status readable = checkReadable(*view, range);
  if (!readable.ok()) return readable;
  MergeCursor cursor(view, ref, range);
  std::vector<Timestamp> there;
  std::vector<double> values;
  std::size_t at = 0;
  bool isAtEnd = false;
  for (std::uint32_t place = 0; place < ts.size();) {
    if (at == there.size() && !isAtEnd) {
      at = 0;
      there.clear();
      values.clear();
      const Status read = cursor.next(kReadCount, there, values);
      if (!read.ok()) return read;
      isAtEnd = there.empty();
    } else if (!isAtEnd && there[at] < ts[place]) {
      ++at;
    } else {
      if (isAtEnd || there[at] > ts[place]) missing.push_back(place);
      ++place;
    }
  }
  return {};
}

Status keepMissing(const PinnedView& view, const SeriesIndex& index, StagedSamples& samples) {
  std::size_t kept = 0;
  std::vector<std::uint32_t> missing;
  for (std::size_t begin = 0, end = 0; begin < samples.refs.size(); begin = end) {
    const SeriesRef given = samples.refs[begin];
    while (end < samples.refs.size() && samples.refs[end] == given) ++end;
    const SeriesRef ref = knownRef(index, samples, given);
    if ((ref & kPendingBit) != 0) {
      missing.resize(end - begin);
      std::iota(missing.begin(), missing.end(), 0u);
    } else {
      const auto ts = std::span(samples.ts).subspan(begin, end - begin);
      const Status found = findMissing(view, ref, ts, missing);
      if (!found.ok()) return found;
    }
    for (const std::uint32_t place : missing) {
      samples.refs[kept] = ref;
      samples.ts[kept] = samples.ts[begin + place];
      samples.values[kept++] = samples.values[begin + place];
    }
  }
  samples.refs.resize(kept);
  samples.ts.resize(kept);
  samples.values.resize(kept);
  return {};
}

}  // namespace seriesdb
