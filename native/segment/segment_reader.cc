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
#include <atomic>
#include <limits>
#include <mutex>
#include <string>
#include <utility>

#include "base/checksum.h"
#include "base/clock.h"
#include "base/page_residency.h"
#include "model/file_names.h"
#include "segment/chunk_columns.h"
#include "segment/directory_page.h"
#include "segment/page_directory.h"
#include "segment/segment.h"
#include "segment/segment_format.h"
#include "segment/summary_number.h"

namespace seriesdb {
namespace {

using segment_format::damage;

// Behind the end of a file that was cut its last page goes on with zeros, so that a chunk which
// lost samples has lost its checksum.
bool endsInZeros(Bytes chunk) {
  const std::size_t size = sizeof(std::uint32_t);
  return chunk.size() < size || loadLe<std::uint32_t>(chunk.last(size).data()) == 0;
}

// So does a page, which then lacks the mark that all pages end in.
bool endsInMark(Bytes page) {
  return loadLe<std::uint32_t>(page.last(page_format::kEndMarkSize).data()) ==
         page_format::kEndMark;
}

// What is known of a file since it was opened, when all of its directory was checked.
struct CheckedFile {
  segment_format::Footer footer;
  std::vector<Fence> fences;
  // The pages, and kPageSlack more bytes, where the file has none or is not mapped; else empty.
  ByteBuffer pages;
};

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

  void find(SeriesRef series, TimeRange range, std::vector<ChunkEntry>& chunks) const override {
    const std::size_t pageCount = firstRefs_.size();
    for (std::size_t page = firstPageOf(series); page < pageCount && firstRefs_[page] <= series;
         ++page) {
      const Fence& fence = fences()[page];
      if (fence.bounds.tsMin > range.end || fence.bounds.tsMax < range.start) continue;
      // Before the look at the page's end, which then is on its way: zeros are a page of nothing.
      const std::size_t before = chunks.size();
      findIn(DirectoryPage(pages_ + fence.offset), page, {series, range}, chunks);
      if (isWhole(fence)) continue;
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
    const bool isVerified =
        (word.load(std::memory_order_relaxed) & bit) != 0 && !endsInZeros(bytes);
    Status status = isVerified ? Status{} : verifyChunk(bytes);
    if (status.ok()) status = decode(entry, bytes, ts, values);
    if (file_->isMappingLost()) return readCopy(entry, ts, values);
    if (status.ok()) {
      if (!isVerified) word.fetch_or(bit, std::memory_order_relaxed);
      return status;
    }
    word.fetch_and(~bit, std::memory_order_relaxed);
    return remember(entry, status);
  }

  bool isInMemory(std::uint64_t offset, std::uint64_t size) const override {
    if (mapped_.empty() || file_->isMappingLost()) return false;
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
    if (!file_->isMappingLost()) return {};
    return name_ + ": a part of the file could not be read; it is read without a mapping now";
  }

 private:
  // The same from a copy, whose checksum is looked at each time.
  Status readCopy(const ChunkEntry& entry, std::span<Timestamp> ts,
                  std::span<double> values) const {
    const auto copy = std::make_unique_for_overwrite<std::uint8_t[]>(entry.size);
    const std::span<std::uint8_t> bytes(copy.get(), entry.size);
    Status status = file_->read(entry.offset, bytes);
    if (status.code() == StatusCode::kExhausted) return status;
    if (status.ok()) status = verifyChunk(bytes);
    if (status.ok()) status = decode(entry, bytes, ts, values);
    return status.ok() ? status : remember(entry, status);
  }

  // The directory answers for chunks that are not decoded, so both must say the same.
  static Status decode(const ChunkEntry& entry, Bytes bytes, std::span<Timestamp> ts,
                       std::span<double> values) {
    const ChunkSummary& summary = entry.summary;
    CHECK(ts.size() == summary.count);
    const Status status = decodeChunk(bytes, ts, values);
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
    const Fence& fence = fences()[page];
    if (isWhole(fence)) {
      use(DirectoryPage(pages_ + fence.offset));
      if (isWhole(fence)) return {};
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

  // Whether what was read of a page until now was one.
  bool isWhole(const Fence& fence) const {
    if (!checked_.pages.empty()) return true;
    return endsInMark({pages_ + fence.offset, fence.size}) && !file_->isMappingLost();
  }

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
  mutable std::atomic<bool> isDamaged_ = false;
  mutable std::mutex damageMutex_;
  mutable std::string damage_;
};

Status compareFacts(const SegmentFacts& facts, const segment_format::ParsedFooter& parsed,
                    std::uint64_t at, const std::string& path) {
  const segment_format::Footer& footer = parsed.footer;
  if (parsed.crc != facts.fileCrc) {
    return damage(path, at, "the footer's checksum is not the manifest's");
  }
  const bool same = footer.sampleCount == facts.sampleCount &&
                    footer.chunkCount == facts.chunkCount &&
                    footer.seriesCount == facts.seriesCount && footer.tsMin == facts.tsMin &&
                    footer.tsMax == facts.tsMax && footer.sequenceMax == facts.sequenceMax;
  if (!same) return damage(path, at, "the footer's numbers are not the manifest's");
  return {};
}

// Parts of a file, which lie inside it.
struct Parts {
  const ReadableFile& file;
  const std::string& path;

  // Calls use() with the mapped bytes, and once more with a copy where the mapping proved lost;
  // what the last call gave counts. What cannot be read is damage, but for want of descriptors.
  template <typename Use>
  Status use(std::uint64_t offset, std::uint64_t size, Use use) const {
    const auto length = static_cast<std::size_t>(size);
    if (const Bytes mapped = file.mapped(); !mapped.empty()) {
      Status status = use(mapped.subspan(static_cast<std::size_t>(offset), length));
      if (!file.isMappingLost()) return status;
    }
    ByteBuffer copy(length);
    Status status = file.read(offset, copy);
    if (status.ok()) return use(copy);
    return status.code() == StatusCode::kExhausted ? status
                                                   : damage(path, offset, status.message());
  }
};

// The entries of a file that has no pages, in pages.
void makePages(std::span<const ChunkEntry> chunks, CheckedFile& checked) {
  PageDirectoryWriter writer;
  for (const ChunkEntry& chunk : chunks) writer.add(chunk);
  checked.fences = writer.finishInMemory(checked.pages);
  checked.pages.resize(checked.pages.size() + kPageSlack);
}

Status checkColumns(Bytes bytes, const std::string& path, CheckedFile& checked) {
  const segment_format::Footer& footer = checked.footer;
  if (crc32c(bytes) != footer.directoryCrc) {
    return damage(path, footer.directoryOffset, "the directory's checksum is wrong");
  }
  const auto chunks = decodeColumns(bytes, footer, path);
  if (chunks.ok()) makePages(chunks.value(), checked);
  return chunks.status();
}

// `bytes` go on behind the directory.
Status checkPages(Bytes bytes, const std::string& path, CheckedFile& checked) {
  const auto size = static_cast<std::size_t>(checked.footer.directorySize);
  auto fences = checkDirectory(bytes.first(size), checked.footer, path);
  if (fences.ok()) checked.fences = std::move(fences).value();
  return fences.status();
}

Status checkFile(const ReadableFile& file, const SegmentFacts& facts, const std::string& path,
                 CheckedFile& checked) {
  using segment_format::kHeaderSize;
  const std::uint64_t size = file.size();
  if (size != facts.fileSize || size < kHeaderSize + segment_format::kFooterSizeMin) {
    return damage(path, size,
                  "the file ends here, the manifest says at " + std::to_string(facts.fileSize));
  }
  const Parts parts{file, path};
  std::uint32_t version = 0;
  Status status = parts.use(0, kHeaderSize, [&](Bytes header) -> Status {
    const auto found = segment_format::checkHeader(header, facts.number, path);
    if (found.ok()) version = found.value();
    return found.status();
  });
  if (!status.ok()) return status;

  const std::size_t footerSize = segment_format::footerSizeOf(version);
  if (size < kHeaderSize + footerSize) return damage(path, size, "the file is cut short");
  const std::uint64_t footerAt = size - footerSize;
  segment_format::Footer& footer = checked.footer;
  status = parts.use(footerAt, footerSize, [&](Bytes bytes) -> Status {
    const auto parsed = segment_format::parseFooter(bytes, {footerAt, version}, path);
    if (!parsed.ok()) return parsed.status();
    footer = parsed.value().footer;
    return compareFacts(facts, parsed.value(), footerAt, path);
  });
  if (!status.ok()) return status;

  if (version < segment_format::kPagesVersion) {
    return parts.use(footer.directoryOffset, footer.directorySize,
                     [&](Bytes bytes) { return checkColumns(bytes, path, checked); });
  }
  return parts.use(footer.directoryOffset, footer.directorySize + footerSize, [&](Bytes bytes) {
    Status whole = checkPages(bytes, path, checked);
    if (whole.ok() && file.mapped().empty()) checked.pages.assign(bytes.begin(), bytes.end());
    return whole;
  });
}

}  // namespace

Result<std::unique_ptr<Segment>> Segment::open(FileSystem& fs, const std::string& directory,
                                               const SegmentFacts& facts) {
  std::string path = file_names::join(directory, file_names::segmentFile(facts.number));
  Result<std::unique_ptr<ReadableFile>> file = fs.openRead(path);
  if (!file.ok()) return file.status();
  CheckedFile checked;
  const Status status = checkFile(*file.value(), facts, path, checked);
  if (!status.ok()) return status;
  std::unique_ptr<Segment> segment = std::make_unique<FileSegment>(
      file_names::segmentFile(facts.number), facts, std::move(file).value(), std::move(checked));
  return segment;
}

}  // namespace seriesdb
