#include "read/piece_reader.h"

#include <algorithm>

namespace seriesdb {
namespace {
// Samples of a block of a merge.
constexpr std::size_t kBlockSamples = 8192;
}  // namespace

void PieceReader::open(const Piece& piece) {
  piece_ = piece;
  isDone_ = false;
  const SourcePart* part = piece.alone();
  if (part == nullptr) {
    merge_.begin(sources_, piece.parts);
  } else if (part->memtable != nullptr) {
    row_.open(sources_, *part, piece.range);
  }
}

Result<SampleBlock> PieceReader::next() {
  if (isDone_) return SampleBlock{};
  const SourcePart* part = piece_.alone();
  if (part == nullptr) return readMerged();
  return part->memtable != nullptr ? readRow() : readChunk();
}

Result<SampleBlock> PieceReader::readChunk() {
  isDone_ = true;
  const ChunkEntry& chunk = *piece_.chunk();
  const std::size_t count = chunk.summary.count;
  // A deletion may have cut the chunk into several pieces.
  const Segment& segment = *piece_.parts[0].segment;
  if (decodedOf_ != &segment || decodedPlace_ != chunk.place) {
    const Status decoded = decode(segment, chunk);
    if (!decoded.ok()) return decoded;
  }
  const auto all = std::span<const Timestamp>(ts_).first(count);
  std::size_t begin = 0;
  std::size_t end = count;
  if (!piece_.isWholeChunk()) {
    const auto from = std::lower_bound(all.begin(), all.end(), piece_.range.start);
    const auto to = std::upper_bound(from, all.end(), piece_.range.end);
    begin = static_cast<std::size_t>(from - all.begin());
    end = static_cast<std::size_t>(to - all.begin());
  }
  return SampleBlock{all.subspan(begin, end - begin),
                     std::span<const double>(values_).subspan(begin, end - begin),
                     chunk.summary.reach()};
}

Status PieceReader::decode(const Segment& segment, const ChunkEntry& chunk) {
  decodedOf_ = nullptr;
  const std::size_t count = chunk.summary.count;
  if (ts_.size() < count) {
    ts_.resize(count);
    values_.resize(count);
  }
  Status decoded =
      segment.read(chunk, std::span(ts_).first(count), std::span(values_).first(count));
  if (decoded.ok()) {
    decodedOf_ = &segment;
    decodedPlace_ = chunk.place;
  }
  return decoded;
}

SampleBlock PieceReader::readRow() {
  const std::span<const Sample> samples = row_.next();
  isDone_ = samples.empty();
  decodedOf_ = nullptr;
  ts_.resize(std::max(ts_.size(), samples.size()));
  values_.resize(ts_.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    ts_[i] = samples[i].ts;
    values_[i] = samples[i].value;
  }
  return {std::span<const Timestamp>(ts_).first(samples.size()),
          std::span<const double>(values_).first(samples.size()), kUnknownReach};
}

Result<SampleBlock> PieceReader::readMerged() {
  ts_.clear();
  values_.clear();
  decodedOf_ = nullptr;
  while (ts_.size() < kBlockSamples) {
    const auto count = merge_.nextPiece(kBlockSamples - ts_.size(), ts_, values_);
    if (!count.ok()) return count.status();
    if (count.value() == 0) break;
  }
  isDone_ = ts_.empty();
  return SampleBlock{ts_, values_, kUnknownReach};
}

}  // namespace seriesdb
