#include "storage/write/missing_samples.h"

#include <numeric>

#include "storage/view/merge_cursor.h"
#include "storage/view/selector.h"
#include "storage/write/resolve_pending.h"

namespace seriesdb {
namespace {

constexpr std::size_t kReadCount = 4096;

void cutTo(std::size_t count, StagedSamples& samples) {
  samples.refs.resize(count);
  samples.ts.resize(count);
  samples.values.resize(count);
}

}  // namespace

Result<MissingLook> findMissing(const PinnedView& view, std::optional<SeriesRef> ref,
                                std::span<const Timestamp> ts, std::uint64_t lookedMax,
                                std::vector<std::uint32_t>& missing) {
  missing.clear();
  std::uint64_t looked = 0;
  if (!ref) {
    missing.resize(ts.size());
    std::iota(missing.begin(), missing.end(), 0u);
    return MissingLook{ts.size(), looked};
  }
  const TimeRange range{ts.front(), ts.back()};
  Status readable = checkReadable(*view, range);
  if (!readable.ok()) return readable;
  MergeCursor cursor(view, *ref, range);
  std::vector<Timestamp> there;
  std::vector<double> values;
  std::size_t at = 0;
  bool isAtEnd = false;
  std::uint32_t place = 0;
  while (place < ts.size()) {
    if (at == there.size() && !isAtEnd) {
      // At least the first time is looked up, so that repeated calls make progress.
      if (looked >= lookedMax && place > 0) return MissingLook{place, looked};
      at = 0;
      there.clear();
      values.clear();
      const Status read = cursor.next(kReadCount, there, values);
      if (!read.ok()) return read;
      looked += there.size();
      isAtEnd = there.empty();
    } else if (!isAtEnd && there[at] < ts[place]) {
      ++at;
    } else {
      if (isAtEnd || there[at] > ts[place]) missing.push_back(place);
      ++place;
    }
  }
  return MissingLook{ts.size(), looked};
}

Status keepMissing(const PinnedView& view, const SeriesIndex& index, StagedSamples& samples) {
  std::size_t kept = 0;
  std::vector<std::uint32_t> missing;
  for (std::size_t begin = 0, end = 0; begin < samples.refs.size(); begin = end) {
    const SeriesRef given = samples.refs[begin];
    while (end < samples.refs.size() && samples.refs[end] == given) ++end;
    const auto ref = knownRef(index, samples.pendingSeries[given & ~kPendingBit]);
    const auto ts = std::span(samples.ts).subspan(begin, end - begin);
    const auto found = findMissing(view, ref, ts, UINT64_MAX, missing);
    if (!found.ok()) return found.status();
    for (const std::uint32_t place : missing) {
      samples.refs[kept] = given;
      samples.ts[kept] = samples.ts[begin + place];
      samples.values[kept++] = samples.values[begin + place];
    }
  }
  cutTo(kept, samples);
  return {};
}

}  // namespace seriesdb
