#include "query/sample_text.h"

namespace seriesdb {

Status SampleText::next(RowTexts& piece) {
  TextSink sink(piece.text, 0);
  piece.rowCount = piece.leftOutCount = 0;
  while (!isEnd_ && !sink.isFull()) {
    if (at_ == batch_.ts.size()) {
      const Status read = read_(batch_);
      if (!read.ok()) return read;
      at_ = part_ = 0;
      isEnd_ = batch_.ts.empty();
      frames_.leaveOutMany();
    }
    for (; at_ < batch_.ts.size() && !sink.isFull(); ++at_) {
      if (!frames_.isWanted(batch_.values[at_])) {
        ++piece.leftOutCount;
        continue;
      }
      if (batch_.ends[part_] <= at_) frames_.leaveOutMany();
      while (batch_.ends[part_] <= at_) ++part_;
      if (piece.rowCount > 0) frames_.addBetween(sink);
      frames_.addRow(sink, frames_.at(batch_.series[part_]), {batch_.ts[at_], batch_.values[at_]});
      ++piece.rowCount;
    }
  }
  sink.finish();
  piece.isLast = isEnd_;
  return Status::okStatus();
}

}  // namespace seriesdb
