#include "query/rows/series_frames.h"

#include <string_view>
#include <utility>

namespace seriesdb {
namespace {

using TextKind = TextColumn::Kind;

constexpr std::size_t kFrameBytesMax = std::size_t{16} << 20;

bool isMoving(const TextColumn& column) {
  return column.kind == TextKind::kTime || column.kind == TextKind::kValue;
}

}  // namespace

SeriesFrames::SeriesFrames(const SeriesIndex& index, std::vector<SeriesRef> refs, TextPlan plan)
    : refs_(std::move(refs)), plan_(std::move(plan)), printer_(index, plan_) {
  for (const TextColumn& column : plan_.columns) {
    if (isMoving(column)) moving_.push_back(column.kind);
  }
  frameAt_.resize(refs_.size());
}

void SeriesFrames::make(std::uint32_t place) {
  Frame frame;
  for (const TextColumn& column : plan_.columns) {
    frame.text += column.before;
    if (isMoving(column)) {
      frame.ends.push_back(static_cast<std::uint32_t>(frame.text.size()));
    } else {
      printer_.append(frame.text, column, refs_[place]);
    }
  }
  frame.text += plan_.rowEnd;
  frame.ends.push_back(static_cast<std::uint32_t>(frame.text.size()));
  frameBytes_ += sizeof(Frame) + frame.text.size();
  frames_.push_back(std::move(frame));
  frameAt_[place] = static_cast<std::uint32_t>(frames_.size());
}

void SeriesFrames::leaveOutMany() {
  if (frameBytes_ <= kFrameBytesMax) return;
  frames_.clear();
  frameAt_.assign(frameAt_.size(), 0);
  frameBytes_ = 0;
}

void SeriesFrames::addRow(TextSink& sink, const Frame& frame, const Sample& sample) const {
  sink.reserve(frame.text.size() + moving_.size() * kNumberSizeMax);
  const std::string_view text = frame.text;
  std::size_t from = 0;
  for (std::size_t i = 0; i < frame.ends.size(); ++i) {
    sink.add(text.substr(from, frame.ends[i] - from));
    from = frame.ends[i];
    if (i == moving_.size()) return;
    if (moving_[i] == TextKind::kTime) {
      sink.add(sample.ts);
    } else if (std::isfinite(sample.value)) {
      sink.add(sample.value);
    } else {
      sink.add(plan_.null());
    }
  }
}

}  // namespace seriesdb
