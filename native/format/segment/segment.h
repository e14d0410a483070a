// A segment: an immutable, checksummed file with the chunks of many series in one time partition.
// Chunk area (series-major), then a chunk directory in pages, read where it lies, then a footer.
// See docs/format/segment.md.
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

// One line of the chunk directory.
struct ChunkEntry {
  // Of an entry that stands for a part of the directory which cannot be read.
  static constexpr std::uint32_t kNoPlace = UINT32_MAX;

  SeriesRef series;      // Ascends through a directory.
  std::uint32_t size;    // In bytes: from 1, of a bare chunk from 0 to kBareBytesMax.
  std::uint64_t offset;  // From the start of the file.
  ChunkSummary summary;
  std::uint32_t place;  // Its number in the directory.

  // Of the others only series, tsMin and tsMax are known, and read() says why.
  bool isKnown() const { return place != kNoPlace; }
};

// What the manifest records about a segment. Numbers and sequences are up to kSequenceMax, so that
// one more always fits. What the file says, too, is held against it when it is opened.
struct SegmentFacts {
  std::uint64_t number = 0;    // From 1; the header has it.
  std::uint64_t fileSize = 0;  // In bytes.
  std::uint32_t fileCrc = 0;   // CRC-32C of the footer, which has the directory's.
  std::uint64_t sampleCount = 0;  // As in the footer, like the next four.
  std::uint64_t chunkCount = 0;
  std::uint32_t seriesCount = 0;
  Timestamp tsMin = 0;  // Of all samples; the database's unit; inclusive.
  Timestamp tsMax = 0;  // The same; not before tsMin.
  // The records of the log that its samples came with. Of two segments that may hold one series at
  // one time the intervals are disjoint, and the samples of the later one win.
  std::uint64_t sequenceMin = 0;  // Up to sequenceMax; 0: not noted.
  std::uint64_t sequenceMax = 0;  // The footer has it.
  std::uint64_t erasedThrough = 0;  // Deletions up to here are carried out in it; 0: not noted.
  // None: L0, a segment as a flush wrote it, of any times.
  std::optional<PartitionPlace> place{};
  bool isFinal = false;     // Made by the close of its partition, which was then.
  Timestamp closedAt = 0;   // By the wall clock, in the database's unit; 0 unless isFinal.
  // Of an L0: the present of compaction as its memtable was frozen, in that unit; 0: not noted.
  Timestamp frozenAt = 0;
  // What its chunks' codecs were chosen from. 1: the quick ones, 2: all, 0: not noted.
  std::uint32_t codecs = 0;
  // Of the file's bytes, which is its name. None: one of before, whose name is its number.
  std::optional<Sha256> hash{};

  bool operator==(const SegmentFacts&) const = default;

  // Deletions after it may mask its samples.
  std::uint64_t floor() const { return std::max(sequenceMax, erasedThrough); }
};

// Where the file is, from the directory of the database on.
std::string segmentFileOf(const SegmentFacts& facts);
// What it is called where clients hear of it, who need not know where it lies.
std::string segmentNameOf(const SegmentFacts& facts);

// Builds a segment in memory order: series ascending, ts ascending within a series.
class SegmentWriter {
 public:
  // Writes go to a file without a name; finish() publishes. `directory` is the database's. What is
  // written to be kept is cold, with chunks that end at round times of this unit.
  static Result<std::unique_ptr<SegmentWriter>> create(FileSystem& fs, std::string directory,
                                                       std::uint64_t number,
                                                       std::optional<TimestampUnit> coldIn = {});
  virtual ~SegmentWriter() = default;
  // Encodes the samples into chunks of at most `kFlushChunkSamples`, of cold ones
  // `kChunkSamplesMax`, none of which goes on with those of another call. REQUIRES: series >= every
  // earlier one; ts strictly increasing, for one series over all calls, and not empty.
  virtual Status addSeries(SeriesRef series, std::span<const Timestamp> ts,
                           std::span<const double> values) = 0;
  // temp -> fsync -> rename -> fsync directory. The segment exists once this returned ok, under
  // the name that its bytes give it.
  virtual Result<SegmentFacts> finish(std::uint64_t sequenceMax) = 0;
};

// 4096, so that a chunk's fixed cost is below 0.03 bytes a sample, and decoding a whole one costs
// about 3 us.
inline constexpr std::size_t kFlushChunkSamples = 4096;

// An open segment. Immutable; safe for any number of threads.
class Segment {
 public:
  // Checks header, footer and directory against the manifest's facts. `directory` is the
  // database's. kStorageCorrupt names the file; with kExhausted nothing is known of it.
  static Result<std::unique_ptr<Segment>> open(FileSystem& fs, const std::string& directory,
                                               const SegmentFacts& facts);
  virtual ~Segment() = default;
  // From now on what it holds is counted in the account.
  void countIn(std::shared_ptr<MemoryAccount> account) {
    counted_ = MemoryHold(std::move(account));
    counted_.set(memoryBytes());
  }
  // In the heap: what the file has is the system's to keep or drop.
  virtual std::uint64_t memoryBytes() const = 0;
  virtual const SegmentFacts& facts() const = 0;
  // Deletions after it may mask samples here.
  std::uint64_t floor() const {
    return std::max(facts().floor(), raised_.load(std::memory_order_relaxed));
  }
  // REQUIRES: no deletion up to `sequence` and after the floor masks any sample here, so that
  // whoever reads beside it finds the same.
  void raiseFloor(std::uint64_t sequence) const {
    raised_.store(sequence, std::memory_order_relaxed);
  }
  // Appends the chunks of one series that have samples in the range, or may have, ascending in
  // time. Where the directory cannot be read, it is an entry for all of the time of what is
  // missing.
  virtual void find(SeriesRef series, TimeRange range, std::vector<ChunkEntry>& chunks) const = 0;
  // The same for several series at once, at a fraction of the cost: `chunks` is replaced by the
  // chunks of the first series, the strictly ascending ones of which one page has all there is, one
  // series after the other. Returns how many series these are; 0 where find() has to be asked.
  // REQUIRES: !series.empty()
  virtual std::size_t findTogether(std::span<const SeriesRef> series, TimeRange range,
                                   std::vector<ChunkEntry>& chunks) const = 0;
  // Whether find() of these series need not wait for the disk, as far as can be told. REQUIRES:
  // ascending.
  virtual bool isDirectoryInMemory(std::span<const SeriesRef> series) const = 0;
  // Has what find() of the series reads fetched into the cache.
  virtual void prefetchEntries(SeriesRef series) const = 0;
  // The directory is read by pages: `chunks` is replaced by all that one of them has, by series,
  // then by time. Fails as read() does. REQUIRES: page < pageCount()
  virtual std::size_t pageCount() const = 0;
  virtual Status readPage(std::size_t page, std::vector<ChunkEntry>& chunks) const = 0;
  // How many chunks these series have together, as far as the directory can be read. REQUIRES:
  // strictly ascending.
  virtual std::uint64_t chunkCountOf(std::span<const SeriesRef> series) const = 0;
  // Decodes a chunk: `ts` and `values` have room for just its samples, and what they hold counts
  // only where the answer is ok. kStorageCorrupt, naming file, offset and time range, when the
  // chunk is not what the directory says or cannot be read, at whatever use; kExhausted.
  virtual Status read(const ChunkEntry& entry, std::span<Timestamp> ts,
                      std::span<double> values) const = 0;
  // The same as decodeChunkIn() does it: of a chunk that was read before it takes less time.
  virtual Result<SamplePlaces> readIn(const ChunkEntry& entry, TimeRange range,
                                      std::span<Timestamp> ts, std::span<double> values) const;
  // Whether so many bytes of the file are in memory, as far as can be told: else who reads them may
  // wait for the disk.
  virtual bool isInMemory(std::uint64_t offset, std::uint64_t size) const = 0;
  // Whether the chunk was read before, so that a part of it costs less than all.
  virtual bool wasRead(const ChunkEntry& entry) const = 0;
  // Has the chunk's first bytes fetched into the cache.
  virtual void prefetch(const ChunkEntry& entry) const = 0;
  // The sentence of the first damaged chunk that was met, or else that the file's mapping was lost;
  // empty while all is well.
  virtual std::string damageMet() const = 0;

 private:
  mutable std::atomic<std::uint64_t> raised_{0};
  MemoryHold counted_;
};

}  // namespace seriesdb
