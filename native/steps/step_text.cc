#include "steps/step_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/json_number.h"
#include "model/identity.h"

namespace seriesdb {
namespace {

// A time, a value, and what stands around them.
constexpr std::size_t kCellSizeMax = 96;
constexpr std::string_view kPointList = "\"values\":[";
constexpr std::string_view kPoint = "\"value\":";

bool ascend(std::span<const std::uint32_t> ends, std::size_t most) {
  return std::ranges::is_sorted(ends) && (ends.empty() || ends.back() <= most);
}

Status checkColumn(const StepPrint::Column& column, std::size_t rowCount) {
  const auto isKnown = [&column](std::uint32_t code) { return code <= column.ends.size(); };
  const bool isSound = column.codes.size() == rowCount &&
                       std::ranges::all_of(column.codes, isKnown) &&
                       ascend(column.ends, column.texts.size());
  return isSound ? Status::okStatus() : Status::invalid("a column of labels is not sound");
}

std::string_view textOf(const StepPrint::Column& column, std::uint32_t code) {
  const std::size_t begin = code == 1 ? 0 : column.ends[code - 2];
  return asText(column.texts.subspan(begin, column.ends[code - 1] - begin));
}

char* writeText(char* to, std::string_view text) {
  std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

}  // namespace

Status StepPrint::check() const {
  for (const Column& column : labels) {
    const Status checked = checkColumn(column, rowCount);
    if (!checked.ok()) return checked;
  }
  const bool isSized =
      isOfSamples ? ends.size() == rowCount && ascend(ends, values.size()) &&
                        times.size() == values.size()
                  : rowCount == 0 || (values.size() / rowCount == grid.count &&
                                      values.size() % rowCount == 0);
  const auto isRow = [this](std::uint32_t row) { return row < rowCount; };
  if (!isSized || !std::ranges::all_of(order, isRow)) {
    return Status::invalid("rows must have a value for each of their times");
  }
  if (!present.empty() && present.size() != values.size()) {
    return Status::invalid("present must be as long as values");
  }
  return Status::okStatus();
}

char* writeStepValue(char* to, double value) {
  if (std::isnan(value)) return writeText(to, "NaN");
  if (std::isinf(value)) return writeText(to, value > 0 ? "+Inf" : "-Inf");
  constexpr double kSmall = 1e-6;
  constexpr double kLarge = 1e21;
  const double size = std::fabs(value);
  if (size == 0 || (size >= kSmall && size < kLarge)) return writeValue(to, value);
  return std::to_chars(to, to + kNumberSizeMax, value, std::chars_format::scientific).ptr;
}

char* writeStepTime(char* to, std::int64_t ms) {
  constexpr std::int64_t kPerSecond = 1000;
  if (ms < 0) {
    *to++ = '-';
    ms = -ms;
  }
  to = writeInteger(to, ms / kPerSecond);
  const std::int64_t rest = ms % kPerSecond;
  if (rest == 0) return to;
  *to++ = '.';
  for (std::int64_t digit = kPerSecond / 10; digit > 0; digit /= 10) {
    *to++ = static_cast<char>('0' + rest / digit % 10);
  }
  return to;
}

std::int64_t StepText::timeOf(std::size_t cell) const {
  if (print_.isOfSamples) return static_cast<std::int64_t>(print_.times[cell]);
  return print_.grid.at(cell - row_ * print_.grid.count);
}

Status StepText::next(std::string& piece) {
  TextSink sink(piece, std::min(kPieceSize, print_.values.size() * kCellSizeMax));
  while (place_ < print_.order.size() && !sink.isFull()) {
    if (isCancelled()) return {StatusCode::kClosed, "the answer was cancelled"};
    if (!isOpen_ && !beginRow(sink)) {
      ++place_;
      continue;
    }
    addCells(sink);
  }
  sink.finish();
  return Status::okStatus();
}

void StepText::skipMissing() {
  while (cell_ < end_ && !hasValue(cell_)) ++cell_;
}

// False where the row has no value.
bool StepText::beginRow(TextSink& sink) {
  row_ = print_.order[place_];
  if (print_.isOfSamples) {
    cell_ = row_ == 0 ? 0 : print_.ends[row_ - 1];
    end_ = print_.ends[row_];
  } else {
    cell_ = row_ * print_.grid.count;
    end_ = cell_ + print_.grid.count;
  }
  skipMissing();
  if (cell_ == end_) return false;
  addMetric(sink);
  isOpen_ = true;
  return true;
}

void StepText::addMetric(TextSink& sink) {
  metric_.assign(std::exchange(hasRows_, true) ? ",{\"metric\":{" : "{\"metric\":{");
  bool isFirst = true;
  for (const StepPrint::Column& column : print_.labels) {
    const std::uint32_t code = column.codes[row_];
    if (code == 0) continue;
    if (!std::exchange(isFirst, false)) metric_.push_back(',');
    appendJsonString(metric_, column.key);
    metric_.push_back(':');
    appendJsonString(metric_, textOf(column, code));
  }
  metric_.append("},").append(print_.isInstant ? kPoint : kPointList);
  sink.reserve(metric_.size());
  sink.add(metric_);
}

void StepText::addCells(TextSink& sink) {
  for (bool isEnd = false; !isEnd && !sink.isFull();) {
    sink.reserve(kCellSizeMax);
    addCell(sink);
    ++cell_;
    skipMissing();
    isEnd = cell_ == end_ || print_.isInstant;
    if (!isEnd) {
      sink.add(",");
      continue;
    }
    sink.add(print_.isInstant ? "}" : "]}");
    isOpen_ = false;
    ++place_;
  }
}

void StepText::addCell(TextSink& sink) {
  char text[kCellSizeMax];
  char* to = text;
  *to++ = '[';
  to = writeStepTime(to, timeOf(cell_));
  to = writeText(to, ",\"");
  to = writeStepValue(to, print_.values[cell_]);
  to = writeText(to, "\"]");
  sink.add({text, static_cast<std::size_t>(to - text)});
}

}  // namespace seriesdb
