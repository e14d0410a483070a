// Reads the samples of one series after another that pass a filter, and shows what need not be
// read. Not thread-safe: each thread of a query has its own.
#pragma once

#include <memory>
#include <vector>

#include "query/piece_reader.h"
#include "query/query_control.h"
#include "query/query_stats.h"

namespace seriesdb {

class SeriesReader {
 public:
  SeriesReader(std::shared_ptr<const View> view, const ReadPlan& plan, QueryControl& control)
      : view_(view), reader_(std::move(view)), plan_(plan), control_(control) {}

  // The pieces of the series in a range; valid until the next call.
  const std::vector<Piece>& open(SeriesRef ref, TimeRange range);
  // What the filter says of the whole piece.
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

  std::shared_ptr<const View> view_;
  PieceReader reader_;
  const ReadPlan& plan_;
  QueryControl& control_;
  SeriesRef ref_ = 0;
  std::vector<Piece> pieces_;
  bool isAtEnd_ = false;
  std::vector<std::uint8_t> keep_;
  std::vector<Timestamp> ts_;
  std::vector<double> values_;
  QueryStats stats_;
  std::uint64_t chunksSeen_ = 0;
};

}  // namespace seriesdb
