#include "format/segment/segment_directory.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace seriesdb {
namespace {

// For fewer series a read of the whole page does not pay.
constexpr std::size_t kTogetherMin = 4;

}  // namespace

SegmentDirectory::SegmentDirectory(const SegmentBytes& bytes, CheckedFile checked)
    : bytes_(bytes), checked_(std::move(checked)) {
  pages_ = checked_.pages.empty() ? bytes_.mapped().data() + checked_.footer.directoryOffset
                                  : checked_.pages.data();
  for (const Fence& fence : checked_.fences) firstRefs_.push_back(fence.bounds.firstRef);
  const SeriesRef span = firstRefs_.back() - firstRefs_.front();
  if (span > 0) pagesPerRef_ = static_cast<double>(firstRefs_.size() - 1) / span;
}

std::uint64_t SegmentDirectory::memoryBytes() const {
  return checked_.fences.capacity() * sizeof(Fence) + checked_.pages.capacity() +
         firstRefs_.capacity() * sizeof(SeriesRef);
}

void SegmentDirectory::find(SeriesRef series, TimeRange range,
                            std::vector<ChunkEntry>& chunks) const {
  const std::size_t pageCount = firstRefs_.size();
  for (std::size_t page = firstPageOf(series); page < pageCount && firstRefs_[page] <= series;
       ++page) {
    const Fence& fence = fences()[page];
    if (fence.bounds.tsMin > range.end || fence.bounds.tsMax < range.start) continue;
    // Read first, then check the mapping: a lost page reads as zeros, which is an empty page.
    const std::size_t before = chunks.size();
    findIn(DirectoryPage(pages_ + fence.offset), page, {series, range}, chunks);
    if (isPageWhole()) continue;
    chunks.resize(before);
    findInCopy(page, {series, range}, chunks);
  }
}

std::size_t SegmentDirectory::findTogether(std::span<const SeriesRef> series, TimeRange range,
                                           std::vector<ChunkEntry>& chunks) const {
  const std::size_t page = firstPageOf(series.front());
  const std::size_t count = countWithin(page, series);
  if (count < kTogetherMin) return 0;
  chunks.clear();
  const PageBounds& bounds = fences()[page].bounds;
  if (bounds.tsMin > range.end || bounds.tsMax < range.start) return count;
  const bool isAll = range.start <= bounds.tsMin && bounds.tsMax <= range.end;
  const Status read = usePage(page, [&](const DirectoryPage& entries) {
    std::array<std::uint16_t, kPageChunks> rows;
    const std::size_t found = entries.rowsOf(series.first(count), rows, [&](std::size_t at) {
      return isAll || (entries.tsMaxAt(at) >= range.start && entries.tsMinAt(at) <= range.end);
    });
    chunks.resize(found);
    entries.readRows(std::span(rows).first(found), chunks);
    for (std::size_t i = 0; i < found; ++i) {
      chunks[i].place = static_cast<std::uint32_t>(page * kPageChunks + rows[i]);
    }
  });
  return read.ok() ? count : 0;
}

bool SegmentDirectory::isInMemory(std::span<const SeriesRef> series) const {
  if (!checked_.pages.empty()) return true;
  std::size_t next = 0;  // Earlier pages were checked, or have none of the series.
  for (const SeriesRef ref : series) {
    for (next = std::max(next, firstPageOf(ref));
         next < fences().size() && fences()[next].bounds.firstRef <= ref; ++next) {
      const Fence& fence = fences()[next];
      if (!bytes_.isInMemory(offsetOf(fence), fence.size)) return false;
    }
  }
  return true;
}

void SegmentDirectory::prefetch(SeriesRef series) const {
  const std::size_t page = firstPageOf(series);
  const Fence& fence = fences()[page];
  // Its row if series are evenly spaced.
  const double ahead = (series - firstRefs_.front()) * pagesPerRef_ * kPageChunks;
  const std::size_t place = static_cast<std::size_t>(ahead) % kPageChunks;
  prefetchEntry({pages_ + fence.offset, fence.size}, place);
}

std::uint64_t SegmentDirectory::chunkCountOf(std::span<const SeriesRef> series) const {
  std::uint64_t count = 0;
  std::size_t page = series.empty() ? fences().size() : firstPageOf(series.front());
  for (; page < fences().size(); ++page) {
    std::uint64_t found = 0;
    const Status read = usePage(page, [&](const DirectoryPage& entries) {
      found = 0;
      entries.forPlacesOf(
          series, [&](DirectoryPage::Places places) { found += places.end - places.begin; });
    });
    if (read.ok()) count += found;
    if (page + 1 == fences().size()) break;
    const SeriesRef next = fences()[page + 1].bounds.firstRef;
    series = series.subspan(static_cast<std::size_t>(
        std::lower_bound(series.begin(), series.end(), next) - series.begin()));
    if (series.empty()) break;
    // The pages in between have none of them.
    page = std::max(page + 1, firstPageOf(series.front())) - 1;
  }
  return count;
}

// The first page that may have chunks of the series; always below the page count.
std::size_t SegmentDirectory::firstPageOf(SeriesRef series) const {
  const std::vector<SeriesRef>& all = firstRefs_;
  const auto isBefore = [&](std::size_t page) { return all[page] < series; };
  const SeriesRef first = all.front();
  const SeriesRef last = all.back();
  if (series <= first || all.size() == 1) return 0;
  if (series > last) return all.size() - 1;
  std::size_t begin = 0;
  std::size_t end = all.size() - 1;
  // In a fleet, pages are about evenly spaced over the series.
  const auto ahead = static_cast<std::size_t>((series - first) * pagesPerRef_);
  const std::size_t guess = std::min(ahead, end - 1);
  if (isBefore(guess)) begin = guess;
  if (!isBefore(guess + 1)) end = guess + 1;
  // Invariant: `begin` is before the series, and `end` is not.
  while (end - begin > 1) {
    const std::size_t half = begin + (end - begin) / 2;
    (isBefore(half) ? begin : end) = half;
  }
  return begin;
}

// The number of leading, strictly ascending series whose chunks all lie in this page. REQUIRES: the
// page is the first that may have chunks of the first series.
std::size_t SegmentDirectory::countWithin(std::size_t page,
                                          std::span<const SeriesRef> series) const {
  const std::size_t next = page + 1;
  const std::uint64_t end =
      next < firstRefs_.size() ? firstRefs_[next] : std::uint64_t{UINT32_MAX} + 1;
  std::size_t count = 0;
  while (count < std::min(series.size(), kPageChunks) && series[count] < end &&
         (count == 0 || series[count] > series[count - 1])) {
    ++count;
  }
  return count;
}

void SegmentDirectory::findIn(const DirectoryPage& entries, std::size_t page, const Wanted& wanted,
                              std::vector<ChunkEntry>& chunks) {
  auto [at, end] = entries.placesOf(wanted.series);
  // Entries ascend in time. If there are many, skip those before the range by halves.
  while (end - at > 8) {
    const std::size_t half = at + (end - at) / 2;
    if (entries.tsMaxAt(half) >= wanted.range.start) break;
    at = half + 1;
  }
  for (; at < end; ++at) {
    ChunkEntry& entry = chunks.emplace_back();
    entries.read(at, entry);
    entry.place = static_cast<std::uint32_t>(page * kPageChunks + at);
    const ChunkSummary& summary = entry.summary;
    if (summary.tsMax >= wanted.range.start && summary.tsMin <= wanted.range.end) continue;
    const bool isBehind = summary.tsMin > wanted.range.end;
    chunks.pop_back();
    if (isBehind) return;
  }
}

void SegmentDirectory::findInCopy(std::size_t page, const Wanted& wanted,
                                  std::vector<ChunkEntry>& chunks) const {
  const Status read =
      useCopy(page, [&](const DirectoryPage& entries) { findIn(entries, page, wanted, chunks); });
  if (!read.ok()) chunks.push_back(unknown(wanted.series, page));
}

// Covers the time range of the whole page, because the series' part of it is unknown.
ChunkEntry SegmentDirectory::unknown(SeriesRef series, std::size_t page) const {
  ChunkEntry entry{};
  entry.series = series;
  entry.offset = page;
  entry.place = ChunkEntry::kNoPlace;
  entry.summary.count = 1;
  entry.summary.tsMin = fences()[page].bounds.tsMin;
  entry.summary.tsMax = fences()[page].bounds.tsMax;
  entry.summary.min = entry.summary.max = std::numeric_limits<double>::quiet_NaN();
  entry.summary.setRest(ChunkSummary::kNoRest);
  return entry;
}

Status SegmentDirectory::sayUnknown(const ChunkEntry& entry) const {
  if (entry.offset >= fences().size()) return Status::invalid("no chunk of this segment");
  const Status status =
      usePage(static_cast<std::size_t>(entry.offset), [](const DirectoryPage&) {});
  if (!status.ok()) return status;
  return {StatusCode::kExhausted, bytes_.name() + ": the directory could not be read a moment ago"};
}

}  // namespace seriesdb
