// The texts of raw rows. A series' own part of its rows is printed once and cached within a memory
// bound.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "common/types/sample.h"
#include "index/series_index.h"
#include "query/print/row_text.h"
#include "query/print/series_text.h"

namespace seriesdb {

class SeriesFrames {
 public:
  // The concatenated texts around the times and values of a series' rows.
  struct Frame {
    std::string text;
    std::vector<std::uint32_t> ends;
  };

  // `refs` are the series of the query. The index must outlive this.
  SeriesFrames(const SeriesIndex& index, std::vector<SeriesRef> refs, TextPlan plan);
  SeriesFrames(const SeriesFrames&) = delete;
  SeriesFrames& operator=(const SeriesFrames&) = delete;

  // The frame of the series at a place of the query. Valid until the next call.
  const Frame& at(std::uint32_t place) {
    if (frameAt_[place] == 0) make(place);
    return known(place);
  }
  // The same frame. REQUIRES: at() made it and it is still cached. Callable from any thread while
  // no frame is made.
  const Frame& known(std::uint32_t place) const { return frames_[frameAt_[place] - 1]; }
  // Drops all cached frames if they hold too much memory.
  void leaveOutMany();

  bool isWanted(double value) const { return !plan_.isFiniteOnly || std::isfinite(value); }
  // The approximate bytes of a row.
  std::size_t sizeOf(const Frame& frame) const {
    return plan_.between.size() + frame.text.size() + moving_.size() * kNumberSize;
  }
  void addBetween(TextSink& sink) const {
    sink.reserve(plan_.between.size());
    sink.add(plan_.between);
  }
  void addRow(TextSink& sink, const Frame& frame, const Sample& sample) const;

 private:
  static constexpr std::size_t kNumberSize = 13;

  void make(std::uint32_t place);

  const std::vector<SeriesRef> refs_;
  const TextPlan plan_;
  SeriesText printer_;
  std::vector<TextColumn::Kind> moving_;  // The kinds of times and values, in the plan's order.
  std::vector<std::uint32_t> frameAt_;  // Indexed by place: the frame's index plus one; 0 for none.
  std::vector<Frame> frames_;
  std::size_t frameBytes_ = 0;
};

}  // namespace seriesdb
