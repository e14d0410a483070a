#include "query/promql/text/step_blocks.h"

#include <algorithm>
#include <utility>

#include "common/types/identity.h"
#include "query/print/near_integers.h"
#include "query/print/row_text.h"
#include "query/promql/text/step_numbers.h"

namespace seriesdb {
namespace {

// A time, a value and the JSON around them, in bytes: the maximum and the typical size.
constexpr std::size_t kCellSizeMax = 96;
constexpr std::size_t kCellSize = 40;
// Bytes of a row without its labels, and of a label without its texts.
constexpr std::size_t kRowSize = 32;
constexpr std::size_t kLabelSize = 6;
constexpr std::string_view kPointList = "\"values\":[";
constexpr std::string_view kPoint = "\"value\":";

std::string_view textOf(const StepPrint::Column& column, std::uint32_t code) {
  const std::size_t begin = code == 1 ? 0 : column.ends[code - 2];
  return asText(column.texts.subspan(begin, column.ends[code - 1] - begin));
}

bool isThere(std::uint8_t present) { return present != 0; }

}  // namespace

// Prints one block.
class StepBlocks::Printer {
 public:
  Printer(const StepBlocks& blocks, const StepBlock& block, std::string& text)
      : blocks_(blocks), print_(blocks.print_), sink_(text, block.size + kCellSizeMax) {}

  void add(std::size_t place, std::size_t from, std::size_t to) {
    const Row row = blocks_.rowAt(place);
    bool isOpen = blocks_.hasAny(row.begin, row.begin + from);
    for (std::size_t cell = row.begin + from; cell < row.begin + to; ++cell) {
      if (!print_.present.empty() && print_.present[cell] == 0) continue;
      if (!isOpen) addHead(row.index, place != blocks_.first_);
      sink_.reserve(kCellSizeMax);
      if (isOpen) sink_.add(",");
      isOpen = true;
      sink_.addBy([&](char* at) { return writeCell(at, timeOf(row, cell), print_.values[cell]); });
    }
    if (isOpen && to == row.size()) addEnd();
  }
  void finish() { sink_.finish(); }

 private:
  std::int64_t timeOf(const Row& row, std::size_t cell) const {
    return print_.isOfSamples ? static_cast<std::int64_t>(print_.times[cell])
                              : print_.grid.at(cell - row.begin);
  }
  void addHead(std::size_t row, bool isBehind) {
    head_.assign(isBehind ? ",{\"metric\":{" : "{\"metric\":{");
    bool isFirst = true;
    for (const StepPrint::Column& column : print_.labels) {
      const std::uint32_t code = column.codes[row];
      if (code == 0) continue;
      if (!std::exchange(isFirst, false)) head_.push_back(',');
      appendJsonString(head_, column.key);
      head_.push_back(':');
      appendJsonString(head_, textOf(column, code));
    }
    head_.append("},").append(print_.isInstant ? kPoint : kPointList);
    sink_.reserve(head_.size());
    sink_.add(head_);
  }
  char* writeCell(char* to, std::int64_t ms, double value) {
    to = writeTime(to, ms);
    to = writeText(to, ",\"");
    to = writeStepValue(to, value);
    return writeText(to, "\"]");
  }
  // Includes the JSON in front of the time.
  char* writeTime(char* to, std::int64_t ms) {
    constexpr std::int64_t kPerSecond = 1000;
    if (ms < 0) {
      *to++ = '[';
      return writeStepTime(to, ms);
    }
    to = seconds_.write(to, ms / kPerSecond);
    return writeMilliseconds(to, ms % kPerSecond);
  }
  void addEnd() {
    const std::string_view end = print_.isInstant ? "}" : "]}";
    sink_.reserve(end.size());
    sink_.add(end);
  }

  const StepBlocks& blocks_;
  const StepPrint& print_;
  TextSink sink_;
  std::string head_;
  NearIntegers seconds_{"["};
};

StepBlocks::StepBlocks(const StepPrint& print) : print_(print) {
  for (; first_ < print.order.size(); ++first_) {
    const Row row = rowAt(first_);
    if (hasAny(row.begin, row.end)) break;
  }
  next_.row = first_;
}

bool StepBlocks::plan(StepBlock& block) {
  constexpr std::size_t kSize = TextSink::kPieceSize;
  block = {next_, next_, 0};
  while (next_.row < print_.order.size() && block.size < kSize) {
    const Row row = rowAt(next_.row);
    const std::size_t room = (kSize - block.size) / kCellSize;
    const std::size_t cells = std::min(row.size() - next_.cell, room + 1);
    const std::size_t begin = row.begin + next_.cell;
    const std::size_t there = countOf(begin, begin + cells);
    if (next_.cell == 0 && there > 0) block.size += headSizeOf(row.index);
    block.size += there * kCellSize;
    next_.cell += cells;
    if (next_.cell == row.size()) next_ = {next_.row + 1, 0};
  }
  block.end = next_;
  return block.size > 0;
}

void StepBlocks::print(const StepBlock& block, std::string& text) const {
  Printer printer(*this, block, text);
  const StepBlock::Place begin = block.begin;
  const StepBlock::Place end = block.end;
  for (std::size_t row = begin.row; row <= end.row && row < print_.order.size(); ++row) {
    const std::size_t from = row == begin.row ? begin.cell : 0;
    const std::size_t to = row == end.row ? end.cell : rowAt(row).size();
    if (from < to) printer.add(row, from, to);
  }
  printer.finish();
}

StepBlocks::Row StepBlocks::rowAt(std::size_t place) const {
  const std::size_t index = print_.order[place];
  if (print_.isOfSamples) {
    return {index, index == 0 ? 0 : print_.ends[index - 1], print_.ends[index]};
  }
  return {index, index * print_.grid.count, (index + 1) * print_.grid.count};
}

std::size_t StepBlocks::headSizeOf(std::size_t row) const {
  std::size_t size = kRowSize;
  for (const StepPrint::Column& column : print_.labels) {
    const std::uint32_t code = column.codes[row];
    if (code != 0) size += column.key.size() + textOf(column, code).size() + kLabelSize;
  }
  return size;
}

bool StepBlocks::hasAny(std::size_t begin, std::size_t end) const {
  if (print_.present.empty()) return begin < end;
  return std::ranges::any_of(print_.present.subspan(begin, end - begin), isThere);
}

std::size_t StepBlocks::countOf(std::size_t begin, std::size_t end) const {
  if (print_.present.empty()) return end - begin;
  const auto cells = print_.present.subspan(begin, end - begin);
  return static_cast<std::size_t>(std::ranges::count_if(cells, isThere));
}

}  // namespace seriesdb
