#include "query/samples/stretch_reader.h"

#include <algorithm>

namespace seriesdb {
namespace {
// Samples per block of a merge.
constexpr std::size_t kBlockSamples = 8192;
}  // namespace

void StretchReader::open(const Stretch& stretch) {
  stretch_ = stretch;
  isDone_ = false;
  const SourcePart* part = stretch.alone();
  if (part == nullptr) {
    merge_.begin(sources_, stretch.parts);
  } else if (part->memtable != nullptr) {
    strip_.open(sources_, *part, stretch.range);
  }
}

Result<SampleBlock> StretchReader::next() {
  if (isDone_) return SampleBlock{};
  const SourcePart* part = stretch_.alone();
  if (part == nullptr) return readMerged();
  return part->memtable != nullptr ? readRow() : readChunk();
}

// Deletions may cut a chunk into several stretches, and a query may ask for several of its ranges.
// The second part of the same chunk decodes the whole chunk.
Result<SampleBlock> StretchReader::readChunk() {
  isDone_ = true;
  const ChunkEntry& chunk = *stretch_.chunk();
  const Segment& segment = *stretch_.parts[0].segment;
  const ChunkPlace here{&segment, chunk.place};
  const bool isPart = chunk.isKnown() && chunk.summary.isFinite() && !stretch_.isWholeChunk();
  SamplePlaces places{0, chunk.summary.count};
  if (isPart && held_ != here && partly_ != here) {
    const auto part = decodePart(segment, chunk);
    if (!part.ok()) return part.status();
    places = part.value();
  } else {
    if (held_ != here) {
      const Status decoded = decode(segment, chunk);
      if (!decoded.ok()) return decoded;
    }
    places.end = decoded_.count;
    const auto all = std::span<const Timestamp>(ts_).first(decoded_.count);
    if (!stretch_.isWholeChunk()) places = placesOf(all, stretch_.range);
  }
  return SampleBlock{std::span<const Timestamp>(ts_).subspan(places.begin, places.size()),
                     std::span<const double>(values_).subspan(places.begin, places.size()),
                     chunk.summary.reach(), decoded_.hasNulls};
}

// REQUIRES: all of the chunk's values are finite.
Result<SamplePlaces> StretchReader::decodePart(const Segment& segment, const ChunkEntry& chunk) {
  held_ = {};
  decoded_ = {};
  makeRoom(chunk.summary.count);
  partly_ = {&segment, chunk.place};
  return segment.readIn(chunk, stretch_.range, std::span(ts_).first(chunk.summary.count),
                        std::span(values_).first(chunk.summary.count));
}

void StretchReader::makeRoom(std::size_t count) {
  if (ts_.size() >= count) return;
  ts_.resize(count);
  values_.resize(count);
}

Status StretchReader::decode(const Segment& segment, const ChunkEntry& chunk) {
  held_ = {};
  const std::size_t count = chunk.summary.count;
  makeRoom(count);
  const auto ts = std::span(ts_).first(count);
  const auto values = std::span(values_).first(count);
  Status decoded = segment.read(chunk, ts, values);
  if (decoded.ok()) {
    held_ = {&segment, chunk.place};
    decoded_ = chunk.summary.isFinite() ? KeptValues{count} : keepValues(ts, values);
  }
  return decoded;
}

SampleBlock StretchReader::readRow() {
  held_ = {};
  KeptValues kept;
  while (kept.count == 0 && !isDone_) {
    const std::span<const Sample> samples = strip_.next();
    isDone_ = samples.empty();
    ts_.resize(std::max(ts_.size(), samples.size()));
    values_.resize(ts_.size());
    for (std::size_t i = 0; i < samples.size(); ++i) {
      ts_[i] = samples[i].ts;
      values_[i] = samples[i].value;
    }
    kept =
        keepValues(std::span(ts_).first(samples.size()), std::span(values_).first(samples.size()));
  }
  return {std::span<const Timestamp>(ts_).first(kept.count),
          std::span<const double>(values_).first(kept.count), kUnknownReach, kept.hasNulls};
}

Result<SampleBlock> StretchReader::readMerged() {
  ts_.clear();
  values_.clear();
  held_ = {};
  bool hasNulls = false;
  while (ts_.size() < kBlockSamples) {
    const std::size_t begin = ts_.size();
    const auto count = merge_.nextSamples(kBlockSamples - begin, ts_, values_);
    if (!count.ok()) return count.status();
    if (count.value() == 0) break;
    const KeptValues kept =
        keepValues(std::span(ts_).subspan(begin), std::span(values_).subspan(begin));
    ts_.resize(begin + kept.count);
    values_.resize(ts_.size());
    hasNulls = hasNulls || kept.hasNulls;
  }
  isDone_ = ts_.empty();
  return SampleBlock{ts_, values_, kUnknownReach, hasNulls};
}

}  // namespace seriesdb
