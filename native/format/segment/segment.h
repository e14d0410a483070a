// A segment: an immutable, checksummed file with the chunks of many series in one time partition.
// It has a chunk area (series-major), a chunk directory in pages, which is read in place, and a
// footer. See docs/format/segment.md.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/base/memory_account.h"
#include "common/base/status.h"
#include "common/digest/sha256.h"
#include "common/file/file_system.h"
#include "common/types/partition.h"
#include "common/types/sample.h"
#include "common/types/timestamp_unit.h"
#include "format/codec/chunk.h"

namespace seriesdb {

// One entry of the chunk directory.
struct ChunkEntry {
  // The place of an entry that stands for an unreadable part of the directory.
  static constexpr std::uint32_t kNoPlace = UINT32_MAX;

  SeriesRef series;      // Ascends through a directory.
  std::uint32_t size;    // In bytes: at least 1; for a bare chunk 0 to kBareBytesMax.
  std::uint64_t offset;  // From the start of the file.
  ChunkSummary summary;
  std::uint32_t place;  // Its index in the directory.

  // If false, only series, tsMin and tsMax are known, and read() returns the reason.
  bool isKnown() const { return place != kNoPlace; }
};

// The manifest's record of a segment. Numbers and sequences are up to kSequenceMax, so that one
// more always fits. Opening a segment checks these facts against its file.
struct SegmentFacts {
  std::uint64_t number = 0;       // From 1; also in the header.
  std::uint64_t fileSize = 0;     // In bytes.
  std::uint32_t fileCrc = 0;      // CRC-32C of the footer, which contains the directory's CRC.
  std::uint64_t sampleCount = 0;  // Equal to the footer's, like the next four.
  std::uint64_t chunkCount = 0;
  std::uint32_t seriesCount = 0;
  Timestamp tsMin = 0;  // The least timestamp of all samples; the database's unit; inclusive.
  Timestamp tsMax = 0;  // The greatest one; inclusive.
  // The WAL sequences of its samples. If two segments may hold one series at one time, their
  // intervals are disjoint, and the samples of the later segment win.
  std::uint64_t sequenceMin = 0;  // Up to sequenceMax; 0: not recorded.
  std::uint64_t sequenceMax = 0;  // Also in the footer.
  // Deletions up to this sequence are applied to the file; 0: not recorded.
  std::uint64_t erasedThrough = 0;
  // None: an L0 segment, written by a flush, with samples of any time.
  std::optional<PartitionPlace> place{};
  bool isFinal = false;  // True if the close of its partition wrote it.
  // The time of that close: wall clock in the database's unit; 0 unless isFinal.
  Timestamp closedAt = 0;
  // For an L0: compaction's clock when its memtable was frozen, in the database's unit; 0: not
  // recorded.
  Timestamp frozenAt = 0;
  // The candidates among which its codecs were chosen. 1: the quick ones, 2: all, 0: not recorded.
  std::uint32_t codecs = 0;
  // SHA-256 of the file, and its name. None: a file of an older version, named by its number.
  std::optional<Sha256> hash{};

  bool operator==(const SegmentFacts&) const = default;

  // Only deletions after this sequence may mask its samples.
  std::uint64_t floor() const { return std::max(sequenceMax, erasedThrough); }
};

// The file's path relative to the database's directory.
std::string segmentFileOf(const SegmentFacts& facts);
// The segment's name for clients, which need not know its path.
std::string segmentNameOf(const SegmentFacts& facts);

// Writes a segment: series ascending, ts ascending within a series.
class SegmentWriter {
 public:
  // Writes to a temporary file; finish() publishes it. `directory` is the database's. With `coldIn`
  // the segment is for long storage: its chunks end at round times of that unit.
  static Result<std::unique_ptr<SegmentWriter>> create(FileSystem& fs, std::string directory,
                                                       std::uint64_t number,
                                                       std::optional<TimestampUnit> coldIn = {});
  virtual ~SegmentWriter() = default;
  // Encodes the samples into chunks of at most `kFlushChunkSamples`, or `kChunkSamplesMax` if cold.
  // No chunk spans two calls. REQUIRES: series >= every earlier one; `ts` is not empty and
  // increases strictly, across all calls for one series.
  virtual Status addSeries(SeriesRef series, std::span<const Timestamp> ts,
                           std::span<const double> values) = 0;
  // Syncs and renames the temporary file, then syncs the directory. Once this returns ok, the
  // segment exists under the name of its hash.
  virtual Result<SegmentFacts> finish(std::uint64_t sequenceMax) = 0;
};

// With 4096 samples a chunk's fixed cost is below 0.03 bytes a sample, and decoding a whole chunk
// takes about 3 us.
inline constexpr std::size_t kFlushChunkSamples = 4096;

// An open segment. Immutable; safe for any number of threads.
class Segment {
 public:
  // Checks header, footer and directory against the manifest's facts. `directory` is the
  // database's. kStorageCorrupt names the file; kExhausted says nothing about the file.
  static Result<std::unique_ptr<Segment>> open(FileSystem& fs, const std::string& directory,
                                               const SegmentFacts& facts);
  virtual ~Segment() = default;
  // Charges the memory of this segment to the account from now on.
  void countIn(std::shared_ptr<MemoryAccount> account) {
    counted_ = MemoryHold(std::move(account));
    counted_.set(memoryBytes());
  }
  // Heap bytes. The mapped file is not included; the kernel caches or drops it.
  virtual std::uint64_t memoryBytes() const = 0;
  virtual const SegmentFacts& facts() const = 0;
  // Only deletions after this sequence may mask samples here.
  std::uint64_t floor() const {
    return std::max(facts().floor(), raised_.load(std::memory_order_relaxed));
  }
  // REQUIRES: no deletion after the floor and up to `sequence` masks any sample here. So concurrent
  // readers find the same samples.
  void raiseFloor(std::uint64_t sequence) const {
    raised_.store(sequence, std::memory_order_relaxed);
  }
  // Appends the chunks of one series that have, or may have, samples in the range, ascending in
  // time. For an unreadable part of the directory it appends one entry that spans the part's time
  // range.
  virtual void find(SeriesRef series, TimeRange range, std::vector<ChunkEntry>& chunks) const = 0;
  // find() for several series, at a fraction of the cost. Replaces `chunks` by the chunks of the
  // first series, one series after the other. Covers the leading, strictly ascending series whose
  // chunks all lie in one page. Returns the number of these series; 0: use find(). REQUIRES:
  // !series.empty()
  virtual std::size_t findTogether(std::span<const SeriesRef> series, TimeRange range,
                                   std::vector<ChunkEntry>& chunks) const = 0;
  // True if find() of these series probably need not wait for the disk. REQUIRES: ascending.
  virtual bool isDirectoryInMemory(std::span<const SeriesRef> series) const = 0;
  // Prefetches into the cache the data that find() of the series reads.
  virtual void prefetchEntries(SeriesRef series) const = 0;
  // Reads the directory page by page: replaces `chunks` by all entries of a page, by series, then
  // by time. Fails as read() does. REQUIRES: page < pageCount()
  virtual std::size_t pageCount() const = 0;
  virtual Status readPage(std::size_t page, std::vector<ChunkEntry>& chunks) const = 0;
  // The number of chunks that these series have together, in the readable parts of the directory.
  // REQUIRES: strictly ascending.
  virtual std::uint64_t chunkCountOf(std::span<const SeriesRef> series) const = 0;
  // Decodes a chunk. `ts` and `values` have room for exactly its samples; their content is valid
  // only if the result is ok. kStorageCorrupt, at any call: the chunk differs from the directory or
  // is unreadable; the message names file, offset and time range. kExhausted: no file descriptor
  // was free.
  virtual Status read(const ChunkEntry& entry, std::span<Timestamp> ts,
                      std::span<double> values) const = 0;
  // Decodes a part of a chunk as decodeChunkIn() does. Faster if the chunk was read before.
  virtual Result<SamplePlaces> readIn(const ChunkEntry& entry, TimeRange range,
                                      std::span<Timestamp> ts, std::span<double> values) const;
  // True if these bytes of the file are probably in memory; otherwise a reader may wait for the
  // disk.
  virtual bool isInMemory(std::uint64_t offset, std::uint64_t size) const = 0;
  // True if the chunk was read before, so that reading a part costs less than reading it all.
  virtual bool wasRead(const ChunkEntry& entry) const = 0;
  // Prefetches the chunk's first bytes into the cache.
  virtual void prefetch(const ChunkEntry& entry) const = 0;
  // Describes the first damaged chunk that was found, or else a lost mapping; empty if there is
  // none.
  virtual std::string damageMet() const = 0;

 private:
  mutable std::atomic<std::uint64_t> raised_{0};
  MemoryHold counted_;
};

}  // namespace seriesdb
