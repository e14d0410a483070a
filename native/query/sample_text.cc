#include "query/sample_text.h"

#include <cmath>
#include <utility>

namespace seriesdb {
namespace {

using TextKind = TextColumn::Kind;

constexpr std::size_t kFrameBytesMax = std::size_t{16} << 20;

bool isMoving(const TextColumn& column) {
  return column.kind == TextKind::kTime || column.kind == TextKind::kValue;
}

}  // namespace

SampleText::SampleText(Read read, const SeriesIndex& index, std::vector<SeriesRef> refs,
                       TextPlan plan)
    : read_(std::move(read)),
      refs_(std::move(refs)),
      plan_(std::move(plan)),
      printer_(index, plan_) {
  for (const TextColumn& column : plan_.columns) {
    if (isMoving(column)) moving_.push_back(column.kind);
  }
  frameAt_.resize(refs_.size());
}

SampleText::Frame SampleText::makeFrame(SeriesRef ref) {
  Frame frame;
  for (const TextColumn& column : plan_.columns) {
    frame.text += column.before;
    if (isMoving(column)) {
      frame.ends.push_back(static_cast<std::uint32_t>(frame.text.size()));
    } else {
      printer_.append(frame.text, column, ref);
    }
  }
  frame.text += plan_.rowEnd;
  frame.ends.push_back(static_cast<std::uint32_t>(frame.text.size()));
  return frame;
}

const SampleText::Frame& SampleText::frameOf(std::uint32_t place) {
  if (frameAt_[place] != 0) return frames_[frameAt_[place] - 1];
  if (frameBytes_ > kFrameBytesMax) {
    frames_.clear();
    frameAt_.assign(frameAt_.size(), 0);
    frameBytes_ = 0;
  }
  frames_.push_back(makeFrame(refs_[place]));
  frameAt_[place] = static_cast<std::uint32_t>(frames_.size());
  frameBytes_ += sizeof(Frame) + frames_.back().text.size();
  return frames_.back();
}

// REQUIRES: rows are asked for in their order.
std::uint32_t SampleText::placeOf(std::size_t row) {
  if (batch_.ends.empty()) return batch_.series[row];
  while (batch_.ends[part_] <= row) ++part_;
  return batch_.series[part_];
}

bool SampleText::isWanted(std::size_t row) const {
  return !plan_.isFiniteOnly || std::isfinite(batch_.values[row]);
}

void SampleText::addRow(TextSink& sink, std::size_t row, bool isFirst) {
  const Frame& frame = frameOf(placeOf(row));
  sink.reserve(plan_.between.size() + frame.text.size() + moving_.size() * kNumberSizeMax);
  if (!isFirst) sink.add(plan_.between);
  const std::string_view text = frame.text;
  std::size_t from = 0;
  for (std::size_t i = 0; i < frame.ends.size(); ++i) {
    sink.add(text.substr(from, frame.ends[i] - from));
    from = frame.ends[i];
    if (i == moving_.size()) return;
    if (moving_[i] == TextKind::kTime) {
      sink.add(batch_.ts[row]);
    } else if (std::isfinite(batch_.values[row])) {
      sink.add(batch_.values[row]);
    } else {
      sink.add(plan_.null());
    }
  }
}

Status SampleText::next(RowTexts& piece) {
  TextSink sink(piece.text, 0);
  piece.rowCount = piece.leftOutCount = 0;
  while (!isEnd_ && !sink.isFull()) {
    if (at_ == batch_.ts.size()) {
      const Status read = read_(batch_);
      if (!read.ok()) return read;
      at_ = part_ = 0;
      isEnd_ = batch_.ts.empty();
    }
    for (; at_ < batch_.ts.size() && !sink.isFull(); ++at_) {
      if (!isWanted(at_)) {
        ++piece.leftOutCount;
        continue;
      }
      addRow(sink, at_, piece.rowCount == 0);
      ++piece.rowCount;
    }
  }
  sink.finish();
  piece.isLast = isEnd_;
  return Status::okStatus();
}

}  // namespace seriesdb
