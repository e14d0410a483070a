// An open segment: the file, the fences of its directory, and one bit for each chunk that says
// whether its checksum was found right.
//
// No pointer into the file leaves here. Its mapping may be lost at any moment, and what was read
// from it is then zeros: so whatever was read is used only after a look at isMappingLost(), and
// where that says so all is done once more with bytes that a system call reads.
//
// Invariants: immutable but for those bits; every entry of the directory lies inside the file as it
// was opened. Two threads that first use a chunk at once both verify it.
#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <mutex>
#include <string>
#include <utility>

#include "base/clock.h"
#include "digest/checksum.h"
#include "file/guarded_mapping.h"
#include "file/page_residency.h"
#include "segment/checked_file.h"
#include "segment/directory_page.h"
#include "segment/page_directory.h"
#include "segment/segment.h"
#include "segment/segment_format.h"
#include "segment/segment_identity.h"
#include "segment/summary_number.h"

namespace seriesdb {
namespace {

using segment_format::damage;

class FileSegment final : public Segment {
 public:
  FileSegment(std::string name, const SegmentFacts& facts, std::unique_ptr<ReadableFile> file,
              CheckedFile checked)
      : name_(std::move(name)),
        facts_(facts),
        file_(std::move(file)),
        mapped_(file_->mapped()),
        residency_(mapped_),
        checked_(std::move(checked)),
        verified_(static_cast<std::size_t>((facts.chunkCount + 63) / 64)) {
    pages_ = checked_.pages.empty() ? mapped_.data() + checked_.footer.directoryOffset
                                    : checked_.pages.data();
    for (const Fence& fence : checked_.fences) firstRefs_.push_back(fence.bounds.firstRef);
    const SeriesRef span = firstRefs_.back() - firstRefs_.front();
    if (span > 0) pagesPerRef_ = static_cast<double>(firstRefs_.size() - 1) / span;
  }

  const SegmentFacts& facts() const override { return facts_; }

  std::uint64_t memoryBytes() const override {
    return sizeof *this + name_.capacity() + residency_.memoryBytes() +
           checked_.fences.capacity() * sizeof(Fence) + checked_.pages.capacity() +
           firstRefs_.capacity() * sizeof(SeriesRef) + verified_.capacity() * sizeof(verified_[0]);
  }

  void find(SeriesRef series, TimeRange range, std::vector<ChunkEntry>& chunks) const override {
    const std::size_t pageCount = firstRefs_.size();
    for (std::size_t page = firstPageOf(series); page < pageCount && firstRefs_[page] <= series;
         ++page) {
      const Fence& fence = fences()[page];
      if (fence.bounds.tsMin > range.end || fence.bounds.tsMax < range.start) continue;
      // Before the look at the file's end: zeros are a page of nothing.
      const std::size_t before = chunks.size();
      findIn(DirectoryPage(pages_ + fence.offset), page, {series, range}, chunks);
      if (isPageWhole()) continue;
      chunks.resize(before);
      findInCopy(page, {series, range}, chunks);
    }
  }

  bool isDirectoryInMemory(SeriesRef series) const override {
    if (!checked_.pages.empty()) return true;
    for (std::size_t page = firstPageOf(series);
         page < fences().size() && fences()[page].bounds.firstRef <= series; ++page) {
      const Fence& fence = fences()[page];
      if (!isInMemory(checked_.footer.directoryOffset + fence.offset, fence.size)) return false;
    }
    return true;
  }

  void prefetchEntries(SeriesRef series) const override {
    const std::size_t page = firstPageOf(series);
    const Fence& fence = fences()[page];
    // Where it is if series are evenly apart.
    const double ahead = (series - firstRefs_.front()) * pagesPerRef_ * kPageChunks;
    const std::size_t place = static_cast<std::size_t>(ahead) % kPageChunks;
    prefetchEntry({pages_ + fence.offset, fence.size}, place);
  }

  std::size_t pageCount() const override { return fences().size(); }

  Status readPage(std::size_t page, std::vector<ChunkEntry>& chunks) const override {
    return usePage(page, [&](const DirectoryPage& entries) {
      chunks.resize(entries.chunkCount());
      entries.readAll(chunks);
      for (std::size_t i = 0; i < chunks.size(); ++i) {
        chunks[i].place = static_cast<std::uint32_t>(page * kPageChunks + i);
      }
    });
  }

  std::uint64_t chunkCountOf(std::span<const SeriesRef> series) const override {
    std::uint64_t count = 0;
    std::size_t page = series.empty() ? fences().size() : firstPageOf(series.front());
    for (; page < fences().size(); ++page) {
      std::uint64_t found = 0;
      const Status read = usePage(
          page, [&](const DirectoryPage& entries) { found = countIn(entries, series); });
      if (read.ok()) count += found;
      if (page + 1 == fences().size()) break;
      const SeriesRef next = fences()[page + 1].bounds.firstRef;
      series = series.subspan(static_cast<std::size_t>(
          std::lower_bound(series.begin(), series.end(), next) - series.begin()));
      if (series.empty()) break;
      // Pages between have none of them.
      page = std::max(page + 1, firstPageOf(series.front())) - 1;
    }
    return count;
  }

  Status read(const ChunkEntry& entry, std::span<Timestamp> ts,
              std::span<double> values) const override {
    if (!entry.isKnown()) return sayUnknown(entry);
    if (!isInside(entry)) return Status::invalid("no chunk of this segment");
    if (mapped_.empty()) return readCopy(entry, ts, values);
    const Bytes bytes = mapped_.subspan(static_cast<std::size_t>(entry.offset), entry.size);
    std::atomic<std::uint64_t>& word = verified_[entry.place / 64];
    const std::uint64_t bit = std::uint64_t{1} << (entry.place % 64);
    const bool isVerified = (word.load(std::memory_order_relaxed) & bit) != 0;
    Status status = isVerified ? Status{} : verify(entry, bytes);
    if (status.ok()) status = decode(entry, bytes, ts, values);
    if (!isWhole()) return readCopy(entry, ts, values);
    if (status.ok()) {
      if (!isVerified && !isBare(entry)) word.fetch_or(bit, std::memory_order_relaxed);
      return status;
    }
    word.fetch_and(~bit, std::memory_order_relaxed);
    return remember(entry, status);
  }

  bool isInMemory(std::uint64_t offset, std::uint64_t size) const override {
    if (mapped_.empty() || isCut_.load(std::memory_order_relaxed)) return false;
    if (file_->isMappingLost()) return false;
    return residency_.holds(static_cast<std::size_t>(offset), static_cast<std::size_t>(size),
                            monotonicMs());
  }

  void prefetch(const ChunkEntry& entry) const override {
    if (!mapped_.empty()) __builtin_prefetch(mapped_.data() + entry.offset);
  }

  std::string damageMet() const override {
    if (isDamaged_.load(std::memory_order_acquire)) {
      const std::lock_guard lock(damageMutex_);
      return damage_;
    }
    if (!file_->isMappingLost() && !isCut_.load(std::memory_order_relaxed)) return {};
    return name_ + ": a part of the file could not be read; it is read without a mapping now";
  }

 private:
  bool isBare(const ChunkEntry& entry) const {
    return checked_.footer.version >= segment_format::kBareVersion &&
           entry.summary.count < kBareSamplesEnd;
  }

  Status verify(const ChunkEntry& entry, Bytes bytes) const {
    if (!isBare(entry)) return verifyChunk(bytes);
    return bytes.empty() ? Status{} : verifyBare(entry.place / kPageChunks);
  }

  // Calls run() with the first and the end of each run of bare chunks of a page, which lie side by
  // side in the file.
  template <typename Run>
  static void forBareRuns(const DirectoryPage& page, Run run) {
    // A page that was just lost may say anything.
    const std::size_t count = std::min(page.chunkCount(), kPageChunks);
    for (std::size_t i = 0; i < count; ++i) {
      if (page.sampleCountAt(i) >= kBareSamplesEnd) continue;
      const std::size_t first = i;
      while (i < count && page.sampleCountAt(i) < kBareSamplesEnd) ++i;
      run(first, i);
    }
  }

  using PageBits = std::array<std::uint64_t, kPageChunks / 64>;

  // The bare chunks of a page, when their bytes have the checksum that the page says.
  std::optional<PageBits> checkBare(const DirectoryPage& page) const {
    PageBits found{};
    std::uint32_t crc = 0;
    bool isInside = true;
    forBareRuns(page, [&](std::size_t first, std::size_t end) {
      for (std::size_t i = first; i < end; ++i) found[i / 64] |= std::uint64_t{1} << (i % 64);
      const std::uint64_t from = page.offsetAt(first);
      const std::uint64_t to = page.offsetAt(end);
      isInside = isInside && from <= to && to <= mapped_.size();
      if (!isInside) return;
      const Bytes chunks = mapped_.subspan(static_cast<std::size_t>(from),
                                           static_cast<std::size_t>(to - from));
      crc = crc32c(chunks, crc);
    });
    if (!isInside || crc != page.bareCrc()) return std::nullopt;
    return found;
  }

  // They are all verified at once, being small.
  Status verifyBare(std::size_t page) const {
    std::optional<PageBits> found;
    const Status read = usePage(
        page, [&](const DirectoryPage& entries) { found = checkBare(entries); });
    if (!read.ok()) return read;
    if (!found) return Status::corrupt("the checksum of short chunks does not match");
    if (!isWhole()) return {};
    for (std::size_t i = 0; i < found->size(); ++i) {
      const std::size_t word = page * found->size() + i;
      if ((*found)[i] == 0) continue;
      verified_[word].fetch_or((*found)[i], std::memory_order_relaxed);
    }
    return {};
  }

  // The same from a copy, whose checksum is looked at each time.
  Status readCopy(const ChunkEntry& entry, std::span<Timestamp> ts,
                  std::span<double> values) const {
    if (isBare(entry) && entry.size > 0) return readBareCopy(entry, ts, values);
    const auto copy = std::make_unique_for_overwrite<std::uint8_t[]>(entry.size);
    const std::span<std::uint8_t> bytes(copy.get(), entry.size);
    Status status = file_->read(entry.offset, bytes);
    if (status.code() == StatusCode::kExhausted) return status;
    if (status.ok()) status = verify(entry, bytes);
    if (status.ok()) status = decode(entry, bytes, ts, values);
    return status.ok() ? status : remember(entry, status);
  }

  // With all bare chunks of its page, since their checksum is one.
  Status readBareCopy(const ChunkEntry& entry, std::span<Timestamp> ts,
                      std::span<double> values) const {
    ByteBuffer copy;
    std::size_t at = 0;  // Of the chunk, in the copy.
    Status status;
    const Status read = usePage(entry.place / kPageChunks, [&](const DirectoryPage& page) {
      copy.clear();
      status = {};
      forBareRuns(page, [&](std::size_t first, std::size_t end) {
        const std::uint64_t from = page.offsetAt(first);
        const std::uint64_t to = page.offsetAt(end);
        if (from > to || to - from > kPageChunks * kBareBytesMax) return;
        if (entry.offset >= from && entry.offset < to) {
          at = copy.size() + static_cast<std::size_t>(entry.offset - from);
        }
        const std::size_t begin = copy.size();
        copy.resize(begin + static_cast<std::size_t>(to - from));
        if (status.ok()) status = file_->read(from, std::span(copy).subspan(begin));
      });
      const bool isSound = crc32c(copy) == page.bareCrc() && entry.size <= copy.size() - at;
      if (status.ok() && !isSound) {
        status = Status::corrupt("the checksum of short chunks does not match");
      }
    });
    if (!read.ok()) return read;
    if (status.code() == StatusCode::kExhausted) return status;
    if (status.ok()) status = decode(entry, Bytes(copy).subspan(at, entry.size), ts, values);
    return status.ok() ? status : remember(entry, status);
  }

  // The directory answers for chunks that are not decoded, so both must say the same.
  Status decode(const ChunkEntry& entry, Bytes bytes, std::span<Timestamp> ts,
                std::span<double> values) const {
    const ChunkSummary& summary = entry.summary;
    CHECK(ts.size() == summary.count);
    const Status status = isBare(entry) ? decodeBareChunk(summary, bytes, ts, values)
                                        : decodeChunk(bytes, ts, values);
    if (!status.ok()) return status;
    const bool isSame = ts.front() == summary.tsMin && ts.back() == summary.tsMax &&
                        summary_number::sameBits(values.front(), summary.first) &&
                        summary_number::sameBits(values.back(), summary.last);
    return isSame ? status : Status::corrupt("the chunk's bounds differ from the directory's");
  }

  Status remember(const ChunkEntry& entry, const Status& why) const {
    return remember({entry.summary.tsMin, entry.summary.tsMax}, "chunk",
                    damage(name_, entry.offset, why.message()));
  }
  Status rememberPage(const Fence& fence, const Status& why) const {
    return remember({fence.bounds.tsMin, fence.bounds.tsMax}, "directory",
                    damage(name_, checked_.footer.directoryOffset + fence.offset, why.message()));
  }
  Status remember(TimeRange range, const char* part, const Status& place) const {
    Status told = Status::corrupt("samples from " + std::to_string(range.start) + " to " +
                                  std::to_string(range.end) + " are in a damaged " + part + ": " +
                                  place.message());
    const std::lock_guard lock(damageMutex_);
    if (damage_.empty()) damage_ = told.message();
    isDamaged_.store(true, std::memory_order_release);
    return told;
  }

  const std::vector<Fence>& fences() const { return checked_.fences; }

  // The first page that may have chunks of the series; the number of pages is not exceeded.
  std::size_t firstPageOf(SeriesRef series) const {
    const std::vector<SeriesRef>& all = firstRefs_;
    const auto isBefore = [&](std::size_t page) { return all[page] < series; };
    const SeriesRef first = all.front();
    const SeriesRef last = all.back();
    if (series <= first || all.size() == 1) return 0;
    if (series > last) return all.size() - 1;
    std::size_t begin = 0;
    std::size_t end = all.size() - 1;
    // Of a fleet pages are about as far apart as their series.
    const auto ahead = static_cast<std::size_t>((series - first) * pagesPerRef_);
    const std::size_t guess = std::min(ahead, end - 1);
    if (isBefore(guess)) begin = guess;
    if (!isBefore(guess + 1)) end = guess + 1;
    // Before `end` is one that is before, and `end` is none.
    while (end - begin > 1) {
      const std::size_t half = begin + (end - begin) / 2;
      (isBefore(half) ? begin : end) = half;
    }
    return begin;
  }

  // Calls use() with the page, and once more with a copy where what it read may not have been one.
  // Where that fails nothing counts of what it did.
  template <typename Use>
  Status usePage(std::size_t page, Use use) const {
    if (isPageWhole()) {
      use(DirectoryPage(pages_ + fences()[page].offset));
      if (isPageWhole()) return {};
    }
    return useCopy(page, use);
  }
  template <typename Use>
  Status useCopy(std::size_t page, Use use) const {
    const Fence& fence = fences()[page];
    const std::uint64_t at = checked_.footer.directoryOffset + fence.offset;
    ByteBuffer copy(fence.size + kPageSlack);
    Status status = file_->read(at, std::span(copy).first(fence.size));
    if (status.code() == StatusCode::kExhausted) return status;
    const Bytes found = Bytes(copy).first(fence.size);
    if (status.ok() && !isPageOf(found, fence, checked_.footer)) {
      status = Status::corrupt("a page of the directory is malformed");
    }
    if (!status.ok()) return rememberPage(fence, status);
    use(DirectoryPage(copy.data()));
    return {};
  }

  // Whether what was read until now was the file's: behind the end of one that was cut its last
  // page of memory goes on with zeros, up to where the file ended before.
  bool isWhole() const {
    finishReads();
    const volatile std::uint8_t* last = &mapped_.back();
    if (*last != 0 && !file_->isMappingLost()) return true;
    isCut_.store(true, std::memory_order_relaxed);
    return false;
  }

  // The same for a page of the directory.
  bool isPageWhole() const { return !checked_.pages.empty() || isWhole(); }

  void readEntry(const DirectoryPage& entries, std::size_t page, std::size_t i,
                 ChunkEntry& entry) const {
    entries.read(i, entry);
    entry.place = static_cast<std::uint32_t>(page * kPageChunks + i);
  }

  struct Wanted {
    SeriesRef series;
    TimeRange range;
  };
  void findIn(const DirectoryPage& entries, std::size_t page, const Wanted& wanted,
              std::vector<ChunkEntry>& chunks) const {
    auto [at, end] = entries.placesOf(wanted.series);
    // They ascend in time; of many those before the range are skipped by halves.
    while (end - at > 8) {
      const std::size_t half = at + (end - at) / 2;
      if (entries.tsMaxAt(half) >= wanted.range.start) break;
      at = half + 1;
    }
    for (; at < end; ++at) {
      ChunkEntry& entry = chunks.emplace_back();
      readEntry(entries, page, at, entry);
      const ChunkSummary& summary = entry.summary;
      if (summary.tsMax >= wanted.range.start && summary.tsMin <= wanted.range.end) continue;
      const bool isBehind = summary.tsMin > wanted.range.end;
      chunks.pop_back();
      if (isBehind) return;
    }
  }
  void findInCopy(std::size_t page, const Wanted& wanted, std::vector<ChunkEntry>& chunks) const {
    const Status read = useCopy(
        page, [&](const DirectoryPage& entries) { findIn(entries, page, wanted, chunks); });
    if (!read.ok()) chunks.push_back(unknown(wanted.series, page));
  }

  // Of series that ascend, where the first of them may be in an earlier page, too.
  static std::uint64_t countIn(const DirectoryPage& entries, std::span<const SeriesRef> series) {
    const std::size_t chunkCount = entries.chunkCount();
    if (chunkCount == 0) return 0;  // Of a page that was just lost.
    const SeriesRef last = entries.refAt(chunkCount - 1);
    const auto end = std::upper_bound(series.begin(), series.end(), last);
    const auto wantedCount = static_cast<std::size_t>(end - series.begin());
    std::uint64_t count = 0;
    if (wantedCount < chunkCount / 16) {
      for (auto wanted = series.begin(); wanted != end; ++wanted) {
        const auto places = entries.placesOf(*wanted);
        count += places.end - places.begin;
      }
      return count;
    }
    auto wanted = series.begin();
    for (std::size_t i = 0; i < chunkCount && wanted != end; ++i) {
      const SeriesRef ref = entries.refAt(i);
      while (wanted != end && *wanted < ref) ++wanted;
      if (wanted != end && *wanted == ref) ++count;
    }
    return count;
  }

  // For the time of all that the page has, since nobody knows which of it is of the series.
  ChunkEntry unknown(SeriesRef series, std::size_t page) const {
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
  Status sayUnknown(const ChunkEntry& entry) const {
    if (entry.offset >= fences().size()) return Status::invalid("no chunk of this segment");
    const Status status =
        usePage(static_cast<std::size_t>(entry.offset), [](const DirectoryPage&) {});
    if (!status.ok()) return status;
    return {StatusCode::kExhausted, name_ + ": the directory could not be read a moment ago"};
  }

  bool isInside(const ChunkEntry& entry) const {
    const std::uint64_t end = checked_.footer.directoryOffset;
    return entry.place < facts_.chunkCount && entry.offset >= segment_format::kHeaderSize &&
           entry.offset <= end && entry.size <= end - entry.offset;
  }

  const std::string name_;  // Of the file; clients need not know where it lies.
  const SegmentFacts facts_;
  const std::unique_ptr<ReadableFile> file_;
  const Bytes mapped_;  // All of the file, or empty.
  const PageResidency residency_;
  const CheckedFile checked_;
  const std::uint8_t* pages_ = nullptr;  // In the file, or as they were read from it.
  std::vector<SeriesRef> firstRefs_;  // Of the fences, close together, since they are searched.
  double pagesPerRef_ = 0;
  mutable std::vector<std::atomic<std::uint64_t>> verified_;
  // A part of the file was missing in its mapping, if only for a moment.
  mutable std::atomic<bool> isCut_ = false;
  mutable std::atomic<bool> isDamaged_ = false;
  mutable std::mutex damageMutex_;
  mutable std::string damage_;
};

}  // namespace

Result<std::unique_ptr<Segment>> Segment::open(FileSystem& fs, const std::string& directory,
                                               const SegmentFacts& facts) {
  const auto path = findSegmentFile(fs, directory, facts);
  if (!path.ok()) return path.status();
  Result<std::unique_ptr<ReadableFile>> file = fs.openRead(path.value());
  if (!file.ok()) return file.status();
  CheckedFile checked;
  const Status status = checkFile(*file.value(), facts, path.value(), checked);
  if (!status.ok()) return status;
  std::unique_ptr<Segment> segment = std::make_unique<FileSegment>(
      segmentNameOf(facts), facts, std::move(file).value(), std::move(checked));
  return segment;
}

}  // namespace seriesdb
