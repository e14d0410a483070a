#include "query/piece_reader.h"

#include <algorithm>

namespace seriesdb {
namespace {
// Samples of a block that is not a chunk.
constexpr std::size_t kBlockSamples = 8192;
}  // namespace

void PieceReader::open(SeriesRef ref, const Piece& piece) {
  ref_ = ref;
  piece_ = piece;
  isDone_ = false;
  cursor_.reset();
  if (piece.chunk == nullptr && piece.memtable == nullptr) cursor_.emplace(view_, ref, piece.range);
}

Result<SampleBlock> PieceReader::next() {
  if (isDone_) return SampleBlock{};
  if (piece_.chunk != nullptr) return readChunk();
  if (piece_.memtable != nullptr) return readMemtable();
  return readMerged();
}

Result<SampleBlock> PieceReader::readChunk() {
  isDone_ = true;
  const auto bytes = piece_.segment->chunkBytes(*piece_.chunk);
  if (!bytes.ok()) return bytes.status();
  const std::size_t count = piece_.chunk->summary.count;
  if (ts_.size() < count) {
    ts_.resize(count);
    values_.resize(count);
  }
  const Status decoded = decodeChunk(bytes.value(), ts_, values_);
  if (!decoded.ok()) return decoded;
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
                     std::span<const double>(values_).subspan(begin, end - begin)};
}

SampleBlock PieceReader::readMemtable() {
  const bool hasMore = piece_.memtable->read(ref_, piece_.range, kBlockSamples, samples_);
  if (hasMore) {
    piece_.range.start = samples_.back().ts + 1;
  } else {
    isDone_ = true;
  }
  ts_.resize(std::max(ts_.size(), samples_.size()));
  values_.resize(ts_.size());
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    ts_[i] = samples_[i].ts;
    values_[i] = samples_[i].value;
  }
  return {std::span<const Timestamp>(ts_).first(samples_.size()),
          std::span<const double>(values_).first(samples_.size())};
}

Result<SampleBlock> PieceReader::readMerged() {
  ts_.clear();
  values_.clear();
  const Status read = cursor_->next(kBlockSamples, ts_, values_);
  if (!read.ok()) return read;
  isDone_ = ts_.empty();
  return SampleBlock{ts_, values_};
}

}  // namespace seriesdb
