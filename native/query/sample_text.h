// Raw rows as text, in pieces: those of a row query, or samples series by series.
//
// What of a row is the series' own is printed once a series and kept, within a bound of memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "index/series_index.h"
#include "print/row_text.h"
#include "print/series_text.h"
#include "read/column_reader.h"

namespace seriesdb {

class SampleText {
 public:
  // Replaces the batch by the next rows, with one entry of `series` for each and no `ends`, or with
  // one for each part; without any at the end.
  using Read = std::function<Status(ColumnBatch&)>;
  // `refs` are the series of the query. The index must outlive this.
  SampleText(Read read, const SeriesIndex& index, std::vector<SeriesRef> refs, TextPlan plan);

  // Replaces `piece` by the next 256 KiB or so; without rows at the end. Fails as `read` does.
  Status next(RowTexts& piece);

 private:
  // The texts around the times and values of a series' rows, one after another.
  struct Frame {
    std::string text;
    std::vector<std::uint32_t> ends;
  };

  const Frame& frameOf(std::uint32_t place);
  Frame makeFrame(SeriesRef ref);
  void addRow(TextSink& sink, std::size_t row, bool isFirst);

  std::uint32_t placeOf(std::size_t row);
  bool isWanted(std::size_t row) const;

  const Read read_;
  const std::vector<SeriesRef> refs_;
  const TextPlan plan_;
  SeriesText printer_;
  std::vector<TextColumn::Kind> moving_;  // Times and values, in their order.
  std::vector<std::uint32_t> frameAt_;    // By place: the frame's, plus one.
  std::vector<Frame> frames_;
  std::size_t frameBytes_ = 0;
  ColumnBatch batch_;
  std::size_t at_ = 0;    // In the batch.
  std::size_t part_ = 0;  // Of it, where it has parts.
  bool isEnd_ = false;
};

}  // namespace seriesdb
