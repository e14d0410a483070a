// An open segment: the mapped file, its decoded directory, and one bit for each chunk that says
// whether its checksum was found right.
//
// Invariants: immutable but for those bits, which only ever turn on; every entry of the directory
// lies inside the mapped bytes. Two threads that first use a chunk at once both verify it.
#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "base/checksum.h"
#include "base/page_residency.h"
#include "model/file_names.h"
#include "segment/chunk_directory.h"
#include "segment/segment.h"
#include "segment/segment_format.h"

namespace seriesdb {
namespace {

using segment_format::damage;

class MappedSegment final : public Segment {
 public:
  MappedSegment(std::string name, const SegmentFacts& facts, std::unique_ptr<MappedFile> file,
                ChunkDirectory directory)
      : name_(std::move(name)),
        facts_(facts),
        file_(std::move(file)),
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

  Result<Bytes> chunkBytes(const ChunkEntry& entry) const override {
    const std::size_t index = indexOf(entry);
    if (index == directory_.chunks.size()) return Status::invalid("no chunk of this segment");
    const ChunkEntry& own = directory_.chunks[index];
    const auto offset = static_cast<std::size_t>(own.offset);
    const Bytes bytes = file_->bytes().subspan(offset, own.size);
    std::atomic<std::uint64_t>& word = verified_[index / 64];
    const std::uint64_t bit = std::uint64_t{1} << (index % 64);
    if ((word.load(std::memory_order_relaxed) & bit) != 0) return bytes;
    if (Status status = verify(own, bytes); !status.ok()) return remember(own, status);
    word.fetch_or(bit, std::memory_order_relaxed);
    return bytes;
  }

  bool isInMemory(std::uint64_t offset, std::uint64_t size) const override {
    return seriesdb::isInMemory(
        file_->bytes().subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size)));
  }

  void prefetch(const ChunkEntry& entry) const override {
    __builtin_prefetch(file_->bytes().data() + entry.offset);
  }

  std::string damageMet() const override {
    if (!isDamaged_.load(std::memory_order_acquire)) return {};
    const std::lock_guard lock(damageMutex_);
    return damage_;
  }

 private:
  Status remember(const ChunkEntry& entry, const Status& why) const {
    Status told = Status::corrupt("samples from " + std::to_string(entry.summary.tsMin) + " to " +
                                  std::to_string(entry.summary.tsMax) +
                                  " are in a damaged chunk: " + why.message());
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

  Status verify(const ChunkEntry& entry, Bytes bytes) const {
    const Status status = verifyChunk(bytes);
    if (!status.ok()) return damage(name_, entry.offset, status.message());
    // Readers size their buffers by the directory.
    const Result<std::uint32_t> count = chunkSampleCount(bytes);
    if (!count.ok()) return damage(name_, entry.offset, count.status().message());
    if (count.value() != entry.summary.count) {
      return damage(name_, entry.offset, "the chunk's sample count differs from the directory's");
    }
    return {};
  }

  const std::string name_;  // Of the file; clients need not know where it lies.
  const SegmentFacts facts_;
  const std::unique_ptr<MappedFile> file_;
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

Result<ChunkDirectory> checkFile(Bytes file, const SegmentFacts& facts, const std::string& path) {
  using segment_format::kFooterSize;
  using segment_format::kHeaderSize;
  if (file.size() != facts.fileSize || file.size() < kHeaderSize + kFooterSize) {
    return damage(path, file.size(),
                  "the file ends here, the manifest says at " + std::to_string(facts.fileSize));
  }
  if (Status status = segment_format::checkHeader(file, facts.number, path); !status.ok()) {
    return status;
  }
  const auto parsed = segment_format::parseFooter(file, path);
  if (!parsed.ok()) return parsed.status();
  const std::uint64_t footerAt = file.size() - kFooterSize;
  if (Status status = compareFacts(facts, parsed.value(), footerAt, path); !status.ok()) {
    return status;
  }
  const segment_format::Footer& footer = parsed.value().footer;
  const Bytes directory = file.subspan(static_cast<std::size_t>(footer.directoryOffset),
                                       static_cast<std::size_t>(footer.directorySize));
  if (crc32c(directory) != footer.directoryCrc) {
    return damage(path, footer.directoryOffset, "the directory's checksum is wrong");
  }
  return decodeDirectory(directory, footer, path);
}

}  // namespace

Result<std::unique_ptr<Segment>> Segment::open(FileSystem& fs, const std::string& directory,
                                               const SegmentFacts& facts) {
  std::string path = file_names::join(directory, file_names::segmentFile(facts.number));
  Result<std::unique_ptr<MappedFile>> file = fs.map(path);
  if (!file.ok()) return file.status();
  Result<ChunkDirectory> chunks = checkFile(file.value()->bytes(), facts, path);
  if (!chunks.ok()) return chunks.status();
  std::unique_ptr<Segment> segment =
      std::make_unique<MappedSegment>(file_names::segmentFile(facts.number), facts,
                                      std::move(file).value(), std::move(chunks).value());
  return segment;
}

}  // namespace seriesdb
