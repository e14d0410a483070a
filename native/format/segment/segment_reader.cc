// An open segment: its bytes, its directory, and one bit for each chunk, which is set once the
// chunk's checksum was verified.
//
// Invariants: immutable except for those bits; every directory entry lies inside the file as it was
// opened. If two threads first use a chunk at once, both verify it.
#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <utility>

#include "common/digest/checksum.h"
#include "format/segment/checked_file.h"
#include "format/segment/segment.h"
#include "format/segment/segment_bytes.h"
#include "format/segment/segment_directory.h"
#include "format/segment/segment_identity.h"
#include "format/segment/summary_number.h"

namespace seriesdb {
namespace {

class FileSegment final : public Segment {
 public:
  FileSegment(std::string name, const SegmentFacts& facts, std::unique_ptr<ReadableFile> file,
              CheckedFile checked)
      : facts_(facts),
        bytes_(std::move(name), std::move(file)),
        directory_(bytes_, std::move(checked)),
        verified_(static_cast<std::size_t>((facts.chunkCount + 63) / 64)) {}

  const SegmentFacts& facts() const override { return facts_; }

  std::uint64_t memoryBytes() const override {
    return sizeof *this + bytes_.memoryBytes() + directory_.memoryBytes() +
           verified_.capacity() * sizeof(verified_[0]);
  }

  void find(SeriesRef series, TimeRange range, std::vector<ChunkEntry>& chunks) const override {
    directory_.find(series, range, chunks);
  }
  std::size_t findTogether(std::span<const SeriesRef> series, TimeRange range,
                           std::vector<ChunkEntry>& chunks) const override {
    return directory_.findTogether(series, range, chunks);
  }
  bool isDirectoryInMemory(std::span<const SeriesRef> series) const override {
    return directory_.isInMemory(series);
  }
  void prefetchEntries(SeriesRef series) const override { directory_.prefetch(series); }
  std::uint64_t chunkCountOf(std::span<const SeriesRef> series) const override {
    return directory_.chunkCountOf(series);
  }
  std::size_t pageCount() const override { return directory_.pageCount(); }

  Status readPage(std::size_t page, std::vector<ChunkEntry>& chunks) const override {
    return directory_.usePage(page, [&](const DirectoryPage& entries) {
      chunks.resize(entries.chunkCount());
      entries.readAll(chunks);
      for (std::size_t i = 0; i < chunks.size(); ++i) {
        chunks[i].place = static_cast<std::uint32_t>(page * kPageChunks + i);
      }
    });
  }

  Status read(const ChunkEntry& entry, std::span<Timestamp> ts,
              std::span<double> values) const override {
    if (!entry.isKnown()) return directory_.sayUnknown(entry);
    if (!isInside(entry)) return Status::invalid("no chunk of this segment");
    if (bytes_.mapped().empty()) return readCopy(entry, ts, values);
    const Bytes bytes = mappedOf(entry);
    std::atomic<std::uint64_t>& word = verified_[entry.place / 64];
    const std::uint64_t bit = std::uint64_t{1} << (entry.place % 64);
    const bool wasVerified = isVerified(entry);
    Status status = wasVerified ? Status{} : verify(entry, bytes);
    if (status.ok()) status = decode(entry, bytes, ts, values);
    if (!bytes_.isWhole()) return readCopy(entry, ts, values);
    if (status.ok()) {
      if (!wasVerified && !isBare(entry)) word.fetch_or(bit, std::memory_order_relaxed);
      return status;
    }
    word.fetch_and(~bit, std::memory_order_relaxed);
    return remember(entry, status);
  }

  // The first read verified the whole chunk. If this partial read fails, the full read below
  // reports the error.
  Result<SamplePlaces> readIn(const ChunkEntry& entry, TimeRange range, std::span<Timestamp> ts,
                              std::span<double> values) const override {
    if (isInside(entry) && wasRead(entry)) {
      auto places = decodeChunkIn(mappedOf(entry), range, ts, values);
      if (places.ok() && bytes_.isWhole()) return places;
    }
    return Segment::readIn(entry, range, ts, values);
  }

  bool isInMemory(std::uint64_t offset, std::uint64_t size) const override {
    return bytes_.isInMemory(offset, size);
  }

  // False for bare chunks, which are short.
  bool wasRead(const ChunkEntry& entry) const override {
    return entry.place < facts_.chunkCount && isVerified(entry) && !isBare(entry);
  }

  void prefetch(const ChunkEntry& entry) const override {
    if (!bytes_.mapped().empty()) __builtin_prefetch(bytes_.mapped().data() + entry.offset);
  }

  std::string damageMet() const override { return bytes_.damageMet(); }

 private:
  // REQUIRES: a mapping, and an entry inside it.
  Bytes mappedOf(const ChunkEntry& entry) const {
    return bytes_.mapped().subspan(static_cast<std::size_t>(entry.offset), entry.size);
  }

  // False if there is no mapping.
  bool isVerified(const ChunkEntry& entry) const {
    const std::uint64_t word = verified_[entry.place / 64].load(std::memory_order_relaxed);
    return (word >> (entry.place % 64) & 1) != 0;
  }

  bool isBare(const ChunkEntry& entry) const {
    return directory_.footer().version >= segment_format::kBareVersion &&
           entry.summary.count < kBareSamplesEnd;
  }

  Status verify(const ChunkEntry& entry, Bytes bytes) const {
    if (!isBare(entry)) return verifyChunk(bytes);
    return bytes.empty() ? Status{} : verifyBare(entry.place / kPageChunks);
  }

  // Calls run(first, end) for each run of bare chunks of a page; they lie side by side in the file.
  template <typename Run>
  static void forBareRuns(const DirectoryPage& page, Run run) {
    // A page that was just lost may hold any values.
    const std::size_t count = std::min(page.chunkCount(), kPageChunks);
    for (std::size_t i = 0; i < count; ++i) {
      if (page.sampleCountAt(i) >= kBareSamplesEnd) continue;
      const std::size_t first = i;
      while (i < count && page.sampleCountAt(i) < kBareSamplesEnd) ++i;
      run(first, i);
    }
  }

  using PageBits = std::array<std::uint64_t, kPageChunks / 64>;

  // The bare chunks of a page, if their bytes match the checksum in the page; else nullopt.
  std::optional<PageBits> checkBare(const DirectoryPage& page) const {
    PageBits found{};
    std::uint32_t crc = 0;
    bool isInside = true;
    forBareRuns(page, [&](std::size_t first, std::size_t end) {
      for (std::size_t i = first; i < end; ++i) found[i / 64] |= std::uint64_t{1} << (i % 64);
      const std::uint64_t from = page.offsetAt(first);
      const std::uint64_t to = page.offsetAt(end);
      isInside = isInside && from <= to && to <= bytes_.mapped().size();
      if (!isInside) return;
      const Bytes chunks = bytes_.mapped().subspan(static_cast<std::size_t>(from),
                                                   static_cast<std::size_t>(to - from));
      crc = crc32c(chunks, crc);
    });
    if (!isInside || crc != page.bareCrc()) return std::nullopt;
    return found;
  }

  // Verifies all bare chunks of a page at once: they are small and share one checksum.
  Status verifyBare(std::size_t page) const {
    std::optional<PageBits> found;
    const Status read =
        directory_.usePage(page, [&](const DirectoryPage& entries) { found = checkBare(entries); });
    if (!read.ok()) return read;
    if (!found) return Status::corrupt("the checksum of short chunks does not match");
    if (!bytes_.isWhole()) return {};
    for (std::size_t i = 0; i < found->size(); ++i) {
      const std::size_t word = page * found->size() + i;
      if ((*found)[i] == 0) continue;
      verified_[word].fetch_or((*found)[i], std::memory_order_relaxed);
    }
    return {};
  }

  // The same from a copy, whose checksum is verified each time.
  Status readCopy(const ChunkEntry& entry, std::span<Timestamp> ts,
                  std::span<double> values) const {
    if (isBare(entry) && entry.size > 0) return readBareCopy(entry, ts, values);
    const auto copy = std::make_unique_for_overwrite<std::uint8_t[]>(entry.size);
    const std::span<std::uint8_t> bytes(copy.get(), entry.size);
    Status status = bytes_.read(entry.offset, bytes);
    if (isUnread(status)) return status;
    if (status.ok()) status = verify(entry, bytes);
    if (status.ok()) status = decode(entry, bytes, ts, values);
    return status.ok() ? status : remember(entry, status);
  }

  // Reads all bare chunks of the page, because they share one checksum.
  Status readBareCopy(const ChunkEntry& entry, std::span<Timestamp> ts,
                      std::span<double> values) const {
    ByteBuffer copy;
    std::size_t at = 0;  // The chunk's offset in the copy.
    Status status;
    const std::size_t number = entry.place / kPageChunks;
    const Status read = directory_.usePage(number, [&](const DirectoryPage& page) {
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
        if (status.ok()) status = bytes_.read(from, std::span(copy).subspan(begin));
      });
      const bool isSound = crc32c(copy) == page.bareCrc() && entry.size <= copy.size() - at;
      if (status.ok() && !isSound) {
        status = Status::corrupt("the checksum of short chunks does not match");
      }
    });
    if (!read.ok()) return read;
    if (isUnread(status)) return status;
    if (status.ok()) status = decode(entry, Bytes(copy).subspan(at, entry.size), ts, values);
    return status.ok() ? status : remember(entry, status);
  }

  // Queries use the directory in place of chunks that are not decoded, so both must agree.
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
    return isSame ? status : Status::corrupt("the chunk's bounds differ from the directory");
  }

  Status remember(const ChunkEntry& entry, const Status& why) const {
    return bytes_.remember({entry.summary.tsMin, entry.summary.tsMax}, "chunk", entry.offset, why);
  }

  bool isInside(const ChunkEntry& entry) const {
    const std::uint64_t end = directory_.footer().directoryOffset;
    return entry.place < facts_.chunkCount && entry.offset >= segment_format::kHeaderSize &&
           entry.offset <= end && entry.size <= end - entry.offset;
  }

  const SegmentFacts facts_;
  const SegmentBytes bytes_;
  const SegmentDirectory directory_;
  mutable std::vector<std::atomic<std::uint64_t>> verified_;
};

}  // namespace

Result<SamplePlaces> Segment::readIn(const ChunkEntry& entry, TimeRange range,
                                     std::span<Timestamp> ts, std::span<double> values) const {
  const Status all = read(entry, ts, values);
  if (!all.ok()) return all;
  return placesOf(ts, range);
}

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
