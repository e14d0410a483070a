// Reads the samples of one series after another that pass a filter, and shows what need not be
// read. Not thread-safe: each thread of a query has its own.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "query/expression_machine.h"
#include "query/piece_reader.h"
#include "query/query_control.h"
#include "query/query_stats.h"

namespace seriesdb {

class SeriesReader {
 public:
  SeriesReader(std::shared_ptr<const View> view, const ReadPlan& plan, QueryControl& control);

  // The pieces of the plan's series number `place` in a range; valid until the next call. A series
  // that is opened again after others were is counted again, unless it is said to be known.
  const std::vector<Piece>& open(std::size_t place, TimeRange range, bool isKnown = false);
  // What filter and condition say of the whole piece.
  ValueFilter::Verdict judge(const Piece& piece) const;
  // Calls visit(SampleBlock) for what passes the filter of the piece, in blocks that are not empty.
  template <typename Visit>
  Status read(const Piece& piece, ValueFilter::Verdict verdict, Visit visit) {
    Status status = begin(piece);
    while (status.ok()) {
      const auto block = next(verdict);
      if (!block.ok()) return block.status();
      if (block.value().empty() && isAtEnd_) break;
      if (!block.value().empty()) visit(block.value());
    }
    return status;
  }
  // For pieces that are answered without reading.
  Status skip() { return control_.allow(plan_.limits, 0); }

  QueryStats stats() const;

 private:
  Status begin(const Piece& piece);
  Result<SampleBlock> next(ValueFilter::Verdict verdict);
  SampleBlock filtered(const SampleBlock& block);
  SampleBlock conditioned(const SampleBlock& block);

  std::shared_ptr<const View> view_;
  PieceReader reader_;
  const ReadPlan& plan_;
  QueryControl& control_;
  SeriesRef ref_ = 0;
  std::vector<Piece> pieces_;
  bool isAtEnd_ = false;
  std::optional<ExpressionMachine> condition_;
  std::vector<std::uint8_t> keep_;
  std::vector<Timestamp> ts_;
  std::vector<double> values_;
  QueryStats stats_;
  std::uint64_t chunksSeen_ = 0;
};

}  // namespace seriesdb
