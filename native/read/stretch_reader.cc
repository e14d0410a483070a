#include "read/stretch_reader.h"

#include <algorithm>

namespace seriesdb {
namespace {
// Samples of a block of a merge.
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

Result<SampleBlock> StretchReader::readChunk() {
  isDone_ = true;
  const ChunkEntry& chunk = *stretch_.chunk();
  // A deletion may have cut the chunk into several stretches.
  const Segment& segment = *stretch_.parts[0].segment;
  if (decodedOf_ != &segment || decodedPlace_ != chunk.place) {
    const Status decoded = decode(segment, chunk);
    if (!decoded.ok()) return decoded;
  }
  const auto all = std::span<const Timestamp>(ts_).first(decoded_.count);
  std::size_t begin = 0;
  std::size_t end = decoded_.count;
  if (!stretch_.isWholeChunk()) {
    const auto from = std::lower_bound(all.begin(), all.end(), stretch_.range.start);
    const auto to = std::upper_bound(from, all.end(), stretch_.range.end);
    begin = static_cast<std::size_t>(from - all.begin());
    end = static_cast<std::size_t>(to - all.begin());
  }
  return SampleBlock{all.subspan(begin, end - begin),
                     std::span<const double>(values_).subspan(begin, end - begin),
                     chunk.summary.reach(), decoded_.hasNulls};
}

Status StretchReader::decode(const Segment& segment, const ChunkEntry& chunk) {
  decodedOf_ = nullptr;
  const std::size_t count = chunk.summary.count;
  if (ts_.size() < count) {
    ts_.resize(count);
    values_.resize(count);
  }
  const auto ts = std::span(ts_).first(count);
  const auto values = std::span(values_).first(count);
  Status decoded = segment.read(chunk, ts, values);
  if (decoded.ok()) {
    decodedOf_ = &segment;
    decodedPlace_ = chunk.place;
    decoded_ = chunk.summary.isFinite() ? KeptValues{count} : keepValues(ts, values);
  }
  return decoded;
}

SampleBlock StretchReader::readRow() {
  decodedOf_ = nullptr;
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
    kept = keepValues(std::span(ts_).first(samples.size()),
                      std::span(values_).first(samples.size()));
  }
  return {std::span<const Timestamp>(ts_).first(kept.count),
          std::span<const double>(values_).first(kept.count), kUnknownReach, kept.hasNulls};
}

Result<SampleBlock> StretchReader::readMerged() {
  ts_.clear();
  values_.clear();
  decodedOf_ = nullptr;
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
