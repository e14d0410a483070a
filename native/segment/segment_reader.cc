// An open segment: the file, its decoded directory, and one bit for each chunk that says whether
// its checksum was found right.
//
// No pointer into the file leaves here. Its mapping may be lost at any moment, and what was read
// from it is then zeros: so whatever was read is used only after a look at isMappingLost(), and
// where that says so all is done once more with bytes that a system call reads.
//
// Invariants: immutable but for those bits; every entry of the directory lies inside the file as it
// was opened. Two threads that first use a chunk at once both verify it.
#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "base/checksum.h"
#include "base/clock.h"
#include "base/page_residency.h"
#include "model/file_names.h"
#include "segment/chunk_directory.h"
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

class FileSegment final : public Segment {
 public:
  FileSegment(std::string name, const SegmentFacts& facts, std::unique_ptr<ReadableFile> file,
              ChunkDirectory directory)
      : name_(std::move(name)),
        facts_(facts),
        file_(std::move(file)),
        mapped_(file_->mapped()),
        residency_(mapped_),
        directory_(std::move(directory)),
        isDense_(directory_.series.back() - directory_.series.front() ==
                 directory_.series.size() - 1),
        isOneEach_(directory_.chunks.size() == directory_.series.size()),
        verified_((directory_.chunks.size() + 63) / 64) {}

  const SegmentFacts& facts() const override { return facts_; }
  std::span<const ChunkEntry> chunks() const override { return directory_.chunks; }

  std::span<const ChunkEntry> chunksOf(SeriesRef series) const override {
    const std::vector<SeriesRef>& all = directory_.series;
    if (series < all.front() || series > all.back()) return {};
    // Of a fleet that reports in step: nothing is looked up, so that no cache line is waited for.
    if (isDense_ && isOneEach_) return chunks().subspan(series - all.front(), 1);
    // References ascend by at least one, which bounds the place from both sides; where they are
    // dense the two bounds meet and nothing is searched.
    const std::size_t last = all.size() - 1;
    const std::size_t high = std::min<std::size_t>(last, series - all.front());
    const std::size_t low = last - std::min<std::size_t>(last, all.back() - series);
    const auto begin = all.begin();
    const auto found = std::lower_bound(begin + static_cast<std::ptrdiff_t>(low),
                                        begin + static_cast<std::ptrdiff_t>(high), series);
    if (*found != series) return {};
    const auto at = static_cast<std::size_t>(found - begin);
    const std::size_t first = directory_.starts[at];
    return chunks().subspan(first, directory_.starts[at + 1] - first);
  }

  std::uint64_t chunkCountOf(std::span<const SeriesRef> series) const override {
    const std::vector<SeriesRef>& all = directory_.series;
    const auto begin = std::lower_bound(series.begin(), series.end(), all.front());
    const auto end = std::upper_bound(begin, series.end(), all.back());
    if (begin == end) return 0;
    if (isDense_ && isOneEach_) return static_cast<std::uint64_t>(end - begin);
    auto at = std::lower_bound(all.begin(), all.end(), *begin);
    const auto startOf = [this, &all](auto place) {
      return directory_.starts[static_cast<std::size_t>(place - all.begin())];
    };
    if (*(end - 1) - *begin + 1 == end - begin) {
      return startOf(std::upper_bound(at, all.end(), *(end - 1))) - startOf(at);
    }
    std::uint64_t count = 0;
    for (auto wanted = begin; wanted != end && at != all.end(); ++wanted) {
      // As references ascend by at least one, the place is at most so far ahead, and where they are
      // dense it is just there.
      if (*wanted < *at) continue;
      const auto ahead = std::min<std::ptrdiff_t>(*wanted - *at, all.end() - at - 1);
      at = at[ahead] == *wanted ? at + ahead : std::lower_bound(at, at + ahead, *wanted);
      if (*at == *wanted) count += startOf(at + 1) - startOf(at);
    }
    return count;
  }

  Status read(const ChunkEntry& entry, std::span<Timestamp> ts,
              std::span<double> values) const override {
    const std::size_t index = indexOf(entry);
    if (index == directory_.chunks.size()) return Status::invalid("no chunk of this segment");
    const ChunkEntry& own = directory_.chunks[index];
    if (mapped_.empty()) return readCopy(own, ts, values);
    const Bytes bytes = mapped_.subspan(static_cast<std::size_t>(own.offset), own.size);
    std::atomic<std::uint64_t>& word = verified_[index / 64];
    const std::uint64_t bit = std::uint64_t{1} << (index % 64);
    const bool isVerified =
        (word.load(std::memory_order_relaxed) & bit) != 0 && !endsInZeros(bytes);
    Status status = isVerified ? Status{} : verifyChunk(bytes);
    if (status.ok()) status = decode(own, bytes, ts, values);
    if (file_->isMappingLost()) return readCopy(own, ts, values);
    if (status.ok()) {
      if (!isVerified) word.fetch_or(bit, std::memory_order_relaxed);
      return status;
    }
    word.fetch_and(~bit, std::memory_order_relaxed);
    return remember(own, status);
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
    const Status place = damage(name_, entry.offset, why.message());
    Status told = Status::corrupt("samples from " + std::to_string(entry.summary.tsMin) + " to " +
                                  std::to_string(entry.summary.tsMax) +
                                  " are in a damaged chunk: " + place.message());
    const std::lock_guard lock(damageMutex_);
    if (damage_.empty()) damage_ = told.message();
    isDamaged_.store(true, std::memory_order_release);
    return told;
  }

  // The place of the entry in the directory; the number of chunks when it is not there.
  // Callers may hand in a copy.
  std::size_t indexOf(const ChunkEntry& entry) const {
    const std::span<const ChunkEntry> all = directory_.chunks;
    const std::less<const ChunkEntry*> before;
    const ChunkEntry* const end = all.data() + all.size();
    if (!before(&entry, all.data()) && before(&entry, end)) {
      return static_cast<std::size_t>(&entry - all.data());
    }
    const auto found = std::lower_bound(
        all.begin(), all.end(), entry.offset,
        [](const ChunkEntry& chunk, std::uint64_t offset) { return chunk.offset < offset; });
    if (found == all.end() || found->offset != entry.offset || found->series != entry.series) {
      return all.size();
    }
    return static_cast<std::size_t>(found - all.begin());
  }

  const std::string name_;  // Of the file; clients need not know where it lies.
  const SegmentFacts facts_;
  const std::unique_ptr<ReadableFile> file_;
  const Bytes mapped_;  // All of the file, or empty.
  const PageResidency residency_;
  const ChunkDirectory directory_;
  const bool isDense_;    // No series between the first and the last is missing.
  const bool isOneEach_;  // Each has one chunk.
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

Result<ChunkDirectory> checkFile(const ReadableFile& file, const SegmentFacts& facts,
                                 const std::string& path) {
  using segment_format::kFooterSize;
  using segment_format::kHeaderSize;
  const std::uint64_t size = file.size();
  if (size != facts.fileSize || size < kHeaderSize + kFooterSize) {
    return damage(path, size,
                  "the file ends here, the manifest says at " + std::to_string(facts.fileSize));
  }
  const Parts parts{file, path};
  std::uint32_t version = 0;
  Status status = parts.use(0, kHeaderSize, [&](Bytes header) -> Status {
    const auto checked = segment_format::checkHeader(header, facts.number, path);
    if (checked.ok()) version = checked.value();
    return checked.status();
  });
  if (!status.ok()) return status;

  const std::uint64_t footerAt = size - kFooterSize;
  segment_format::Footer footer;
  status = parts.use(footerAt, kFooterSize, [&](Bytes bytes) -> Status {
    const auto parsed = segment_format::parseFooter(bytes, {footerAt, version}, path);
    if (!parsed.ok()) return parsed.status();
    footer = parsed.value().footer;
    return compareFacts(facts, parsed.value(), footerAt, path);
  });
  if (!status.ok()) return status;

  ChunkDirectory directory;
  status = parts.use(footer.directoryOffset, footer.directorySize, [&](Bytes bytes) -> Status {
    if (crc32c(bytes) != footer.directoryCrc) {
      return damage(path, footer.directoryOffset, "the directory's checksum is wrong");
    }
    auto decoded = decodeDirectory(bytes, footer, path);
    if (!decoded.ok()) return decoded.status();
    directory = std::move(decoded).value();
    return {};
  });
  if (!status.ok()) return status;
  return directory;
}

}  // namespace

Result<std::unique_ptr<Segment>> Segment::open(FileSystem& fs, const std::string& directory,
                                               const SegmentFacts& facts) {
  std::string path = file_names::join(directory, file_names::segmentFile(facts.number));
  Result<std::unique_ptr<ReadableFile>> file = fs.openRead(path);
  if (!file.ok()) return file.status();
  Result<ChunkDirectory> chunks = checkFile(*file.value(), facts, path);
  if (!chunks.ok()) return chunks.status();
  std::unique_ptr<Segment> segment =
      std::make_unique<FileSegment>(file_names::segmentFile(facts.number), facts,
                                    std::move(file).value(), std::move(chunks).value());
  return segment;
}

}  // namespace seriesdb
