#include "query/series_reader.h"

#include <cmath>

namespace seriesdb {

const std::vector<Piece>& SeriesReader::open(SeriesRef ref, TimeRange range) {
  const bool isNew = ref != ref_ || stats_.seriesScanned == 0;
  const std::uint32_t chunkCount = findPieces(*view_, ref, range, pieces_);
  if (isNew) {
    ++stats_.seriesScanned;
    chunksSeen_ += chunkCount;
  }
  ref_ = ref;
  return pieces_;
}

QueryStats SeriesReader::stats() const {
  QueryStats stats = stats_;
  // A chunk that two ranges share is read for both.
  if (chunksSeen_ > stats.chunksScanned) stats.chunksSkipped = chunksSeen_ - stats.chunksScanned;
  return stats;
}

ValueFilter::Verdict SeriesReader::judge(const Piece& piece) const {
  if (plan_.filter.isEmpty()) return ValueFilter::Verdict::kAll;
  if (piece.chunk == nullptr) return ValueFilter::Verdict::kSome;
  const ChunkSummary& summary = piece.chunk->summary;
  // A NaN among the values says nothing of the others.
  if (std::isnan(summary.min)) return ValueFilter::Verdict::kSome;
  return plan_.filter.judge(summary.min, summary.max);
}

Status SeriesReader::begin(const Piece& piece) {
  isAtEnd_ = false;
  const Status allowed = control_.allow(plan_.limits, 0);
  if (!allowed.ok()) return allowed;
  stats_.chunksScanned += piece.chunkCount;
  stats_.bytesRead += piece.chunkBytes;
  reader_.open(ref_, piece);
  return allowed;
}

Result<SampleBlock> SeriesReader::next(ValueFilter::Verdict verdict) {
  const auto read = reader_.next();
  if (!read.ok()) return read.status();
  const SampleBlock& block = read.value();
  isAtEnd_ = block.empty();
  stats_.rowsScanned += block.size();
  // Between blocks of a long piece, too.
  const Status allowed = control_.allow(plan_.limits, block.size());
  if (!allowed.ok()) return allowed;
  if (isAtEnd_ || verdict == ValueFilter::Verdict::kAll) return block;
  plan_.filter.apply(block.values, keep_);
  ts_.resize(block.size());
  values_.resize(block.size());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < block.size(); ++i) {
    ts_[kept] = block.ts[i];
    values_[kept] = block.values[i];
    kept += keep_[i];
  }
  return SampleBlock{std::span<const Timestamp>(ts_).first(kept),
                     std::span<const double>(values_).first(kept)};
}

}  // namespace seriesdb
