#include "query/series_reader.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace seriesdb {

SeriesReader::SeriesReader(std::shared_ptr<const View> view, const ReadPlan& plan,
                           QueryControl& control)
    : view_(view), reader_(std::move(view)), plan_(plan), control_(control) {
  if (!plan.condition.isEmpty()) condition_.emplace(plan.condition);
}

const std::vector<Piece>& SeriesReader::open(std::size_t place, TimeRange range, bool isKnown) {
  const SeriesRef ref = plan_.refs[place];
  const bool isNew = !isKnown && (ref != ref_ || stats_.seriesScanned == 0);
  const std::uint32_t chunkCount = findPieces(*view_, ref, range, pieces_);
  if (isNew) {
    ++stats_.seriesScanned;
    chunksSeen_ += chunkCount;
    if (condition_ && plan_.condition.hasColumns()) condition_->beginSeries(plan_.places[place]);
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
  using Verdict = ValueFilter::Verdict;
  // Nothing is known of the condition before it ran.
  const Verdict all = condition_ ? Verdict::kSome : Verdict::kAll;
  if (plan_.filter.isEmpty()) return all;
  if (piece.chunk == nullptr) return Verdict::kSome;
  const ChunkSummary& summary = piece.chunk->summary;
  // A NaN among the values says nothing of the others.
  if (std::isnan(summary.min)) return Verdict::kSome;
  return std::min(plan_.filter.judge(summary.min, summary.max), all);
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
  const SampleBlock left = plan_.filter.isEmpty() ? block : filtered(block);
  return condition_ ? conditioned(left) : left;
}

// The samples of the block that pass the filter.
SampleBlock SeriesReader::filtered(const SampleBlock& block) {
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

// The samples of the block, which may be what filtered() gave, for which the condition is true.
SampleBlock SeriesReader::conditioned(const SampleBlock& block) {
  ts_.resize(std::max(ts_.size(), block.size()));
  values_.resize(ts_.size());
  std::size_t kept = 0;
  for (std::size_t at = 0; at < block.size(); at += ExpressionMachine::kLanes) {
    const std::size_t count = std::min(block.size() - at, ExpressionMachine::kLanes);
    const auto ts = block.ts.subspan(at, count);
    const auto values = block.values.subspan(at, count);
    condition_->run(ts, values);
    const std::uint8_t* holds = condition_->booleans(0);
    for (std::size_t i = 0; i < count; ++i) {
      ts_[kept] = ts[i];
      values_[kept] = values[i];
      kept += holds[i] / kTrue;
    }
  }
  return SampleBlock{std::span<const Timestamp>(ts_).first(kept),
                     std::span<const double>(values_).first(kept)};
}

}  // namespace seriesdb
