// A segment of one series in memory that counts its calls.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "format/segment/segment.h"

namespace seriesdb::test {

class MemorySegment : public Segment {
 public:
  // REQUIRES: as SegmentWriter::addSeries(). `asked` is incremented by every call, and outlives
  // this.
  MemorySegment(SeriesRef ref, std::span<const Timestamp> ts, std::span<const double> values,
                std::uint64_t& asked)
      : ref_(ref), asked_(asked) {
    for (std::size_t at = 0; at < ts.size(); at += kFlushChunkSamples) {
      const std::size_t count = std::min(kFlushChunkSamples, ts.size() - at);
      ChunkEntry entry{ref, 0, bytes_.size(), {}, static_cast<std::uint32_t>(chunks_.size())};
      entry.summary = encodeChunk(ts.subspan(at, count), values.subspan(at, count), bytes_);
      entry.size = static_cast<std::uint32_t>(bytes_.size() - entry.offset);
      chunks_.push_back(entry);
    }
    facts_.sampleCount = ts.size();
    facts_.chunkCount = chunks_.size();
    facts_.seriesCount = 1;
    facts_.tsMin = ts.front();
    facts_.tsMax = ts.back();
  }

  std::uint64_t memoryBytes() const override { return bytes_.size(); }
  const SegmentFacts& facts() const override {
    ++asked_;
    return facts_;
  }
  void find(SeriesRef series, TimeRange range, std::vector<ChunkEntry>& chunks) const override {
    ++asked_;
    if (series != ref_) return;
    for (const ChunkEntry& chunk : chunks_) {
      const ChunkSummary& summary = chunk.summary;
      if (summary.tsMin <= range.end && summary.tsMax >= range.start) chunks.push_back(chunk);
    }
  }
  std::size_t findTogether(std::span<const SeriesRef>, TimeRange,
                           std::vector<ChunkEntry>&) const override {
    return 0;
  }
  bool isDirectoryInMemory(std::span<const SeriesRef>) const override {
    return isDirectoryInMemory_;
  }
  bool wasRead(const ChunkEntry&) const override { return false; }
  void prefetchEntries(SeriesRef) const override {}
  std::size_t pageCount() const override { return 1; }
  Status readPage(std::size_t, std::vector<ChunkEntry>& chunks) const override {
    if (failing_ > 0) {
      --failing_;
      return {StatusCode::kExhausted, "no room for a mapping"};
    }
    chunks = chunks_;
    return {};
  }
  std::uint64_t chunkCountOf(std::span<const SeriesRef> series) const override {
    ++asked_;
    return std::count(series.begin(), series.end(), ref_) > 0 ? chunks_.size() : 0;
  }
  Status read(const ChunkEntry& entry, std::span<Timestamp> ts,
              std::span<double> values) const override {
    ++asked_;
    return decodeChunk(Bytes(bytes_).subspan(entry.offset, entry.size), ts, values);
  }
  bool isInMemory(std::uint64_t, std::uint64_t) const override {
    ++asked_;
    return isInMemory_;
  }
  // Simulates that the kernel evicted its pages.
  void leaveMemory() { isInMemory_ = false; }
  void leaveDirectory() { isDirectoryInMemory_ = false; }
  // The next reads of its directory fail.
  void failPages(int count) { failing_ = count; }
  void prefetch(const ChunkEntry&) const override {}
  std::string damageMet() const override { return {}; }

 private:
  const SeriesRef ref_;
  std::uint64_t& asked_;
  ByteBuffer bytes_;
  std::vector<ChunkEntry> chunks_;
  SegmentFacts facts_;
  bool isInMemory_ = true;
  bool isDirectoryInMemory_ = true;
  mutable int failing_ = 0;
};

}  // namespace seriesdb::test
