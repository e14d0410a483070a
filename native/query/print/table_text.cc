#include "query/print/table_text.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "query/expression/expression.h"

namespace seriesdb {
namespace {

using Kind = ResultColumn::Kind;

bool isNull(const ResultColumn& column, std::size_t row) {
  switch (column.kind) {
    case Kind::kInteger:
      if (!column.nulls.empty()) return column.nulls[row] != 0;
      return column.isLowestNull && column.integers[row] == INT64_MIN;
    case Kind::kDouble:
      return std::isnan(column.doubles[row]);
    case Kind::kText:
      return column.codes[row] == ResultColumn::kNull;
    case Kind::kBoolean:
      return column.booleans[row] == kUnknown;
    case Kind::kSeriesId:
      return false;
  }
  return false;
}

// A column with more texts is printed anew for each row, to save memory.
constexpr std::size_t kKeptTexts = 4096;
// Fewer rows print faster than another thread wakes.
constexpr std::size_t kRowsOfThreads = 2048;
// If fewer rows of the maximum size fill a piece, most are much shorter: one thread prints by size.
constexpr std::size_t kRowsOfPieceMin = 512;
// Pieces printed at once: the most that waits for a slow client.
constexpr std::size_t kPiecesMax = 8;
// Rows are about half of their maximum size.
constexpr std::size_t kLongestPerRow = 2;

template <typename T>
int compareValues(T a, T b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

// REQUIRES: neither is null. Codes of texts are ranks.
int compareCells(const ResultColumn& column, std::size_t a, std::size_t b) {
  switch (column.kind) {
    case Kind::kInteger:
      return compareValues(column.integers[a], column.integers[b]);
    case Kind::kDouble:
      return compareValues(column.doubles[a], column.doubles[b]);
    case Kind::kText:
      return compareValues(column.codes[a], column.codes[b]);
    case Kind::kBoolean:
      return compareValues(column.booleans[a], column.booleans[b]);
    case Kind::kSeriesId:
      return compareValues(column.ids[a], column.ids[b]);
  }
  return 0;
}

}  // namespace

TableText::TableText(ResultTable table, TextPlan plan)
    : table_(std::move(table)), plan_(std::move(plan)) {
  at_ = static_cast<std::size_t>(std::min<std::uint64_t>(plan_.offset, table_.rowCount));
  end_ =
      at_ + static_cast<std::size_t>(std::min<std::uint64_t>(plan_.limit, table_.rowCount - at_));
  if (at_ == end_) return;
  sortRows();
  prepareTexts();
}

// Nulls are last in both directions. Equal rows keep their order.
bool TableText::isBefore(std::uint32_t a, std::uint32_t b) const {
  for (const TextOrderKey& key : plan_.order) {
    const ResultColumn& column = table_.columns[key.place];
    const bool isNullA = isNull(column, a);
    const bool isNullB = isNull(column, b);
    if (isNullA != isNullB) return isNullB;
    const int order = isNullA ? 0 : compareCells(column, a, b);
    if (order != 0) return (order < 0) != key.isDescending;
  }
  return a < b;
}

void TableText::sortRows() {
  if (plan_.order.empty()) return;
  rows_.resize(table_.rowCount);
  std::iota(rows_.begin(), rows_.end(), 0u);
  const auto before = [this](std::uint32_t a, std::uint32_t b) { return isBefore(a, b); };
  if (std::is_sorted(rows_.begin(), rows_.end(), before)) {
    rows_.clear();
    return;
  }
  const auto wanted = rows_.begin() + static_cast<std::ptrdiff_t>(end_);
  std::partial_sort(rows_.begin(), wanted, rows_.end(), before);
}

void TableText::prepareTexts() {
  texts_.resize(table_.columns.size());
  rowSizeMax_ = plan_.between.size() + plan_.rowEnd.size();
  for (const TextColumn& printed : plan_.columns) {
    const ResultColumn& column = table_.columns[printed.place];
    std::vector<std::string>& texts = texts_[printed.place];
    std::size_t cellSizeMax = kNumberSizeMax;
    if (texts.empty() && column.texts.size() <= kKeptTexts) {
      for (const std::string_view text : column.texts) {
        appendCell(texts.emplace_back(), text, plan_.isCsv);
      }
    }
    hasLongTexts_ = hasLongTexts_ || column.texts.size() > kKeptTexts;
    for (const std::string& text : texts) cellSizeMax = std::max(cellSizeMax, text.size());
    rowSizeMax_ += printed.before.size() + cellSizeMax;
  }
}

void TableText::addText(TextSink& sink, const TextColumn& printed, std::uint32_t code,
                        std::string& scratch) const {
  const std::vector<std::string>& texts = texts_[printed.place];
  if (!texts.empty()) return sink.add(std::string_view(texts[code]));
  scratch.clear();
  appendCell(scratch, table_.columns[printed.place].texts[code], plan_.isCsv);
  sink.reserve(rowSizeMax_ + scratch.size());
  sink.add(std::string_view(scratch));
}

void TableText::addCell(TextSink& sink, const TextColumn& printed, std::size_t row,
                        Scratch& scratch) const {
  sink.add(printed.before);
  const ResultColumn& column = table_.columns[printed.place];
  if (isNull(column, row)) {
    sink.add(plan_.null());
    return;
  }
  switch (column.kind) {
    case Kind::kInteger:
      return sink.add(scratch.near, column.integers[row]);
    case Kind::kSeriesId:
      return sink.add(static_cast<std::int64_t>(column.ids[row]));
    case Kind::kDouble:
      return sink.add(column.doubles[row]);
    case Kind::kBoolean:
      return sink.add(std::string_view(column.booleans[row] == kTrue ? "true" : "false"));
    case Kind::kText:
      return addText(sink, printed, column.codes[row], scratch.text);
  }
}

void TableText::next(RowTexts& piece, const Threads& threads) {
  if (!hasPrinted()) print(threads);
  // Reuse the memory of the caller's previous piece.
  std::swap(piece, printed_[given_++]);
  piece.isLast = !hasPrinted() && at_ == end_;
}

void TableText::print(const Threads& threads) {
  given_ = 0;
  const std::size_t left = end_ - at_;
  const std::size_t bytes = kLongestPerRow * TextSink::kPieceSize;
  const std::size_t rows = bytes / std::max<std::size_t>(rowSizeMax_, 1);
  const bool isOne = left < kRowsOfThreads || rows < kRowsOfPieceMin || hasLongTexts_;
  const std::size_t wanted = isOne ? 1 : (left + rows - 1) / rows;
  const std::size_t count = std::clamp<std::size_t>(std::min(wanted, threads.count), 1, kPiecesMax);
  printed_.resize(count);
  if (count == 1) {
    at_ = printRows(printed_[0], at_, end_, TextSink::kPieceSize);
  } else {
    const std::size_t taken = std::min(left, count * rows);
    const auto beginOf = [=, this](std::size_t i) { return at_ + taken * i / count; };
    runParts(threads, count,
             [&](std::size_t i) { printRows(printed_[i], beginOf(i), beginOf(i + 1), SIZE_MAX); });
    at_ += taken;
  }
  if (at_ < end_) return;
  table_ = {};
  std::vector<std::uint32_t>().swap(rows_);
  std::vector<std::vector<std::string>>().swap(texts_);
}

std::size_t TableText::printRows(RowTexts& piece, std::size_t begin, std::size_t end,
                                 std::size_t bytes) const {
  // Limit the initial room: one long text must not multiply it by all rows.
  const std::size_t expected = std::min(TextSink::kPieceSize, (end - begin) * rowSizeMax_);
  TextSink sink(piece.text, expected);
  std::vector<Scratch> scratch(plan_.columns.size());
  std::size_t at = begin;
  for (; at < end && sink.size() < bytes; ++at) {
    sink.reserve(rowSizeMax_);
    if (at > begin) sink.add(plan_.between);
    const std::size_t row = rows_.empty() ? at : rows_[at];
    for (std::size_t i = 0; i < scratch.size(); ++i) {
      addCell(sink, plan_.columns[i], row, scratch[i]);
    }
    sink.add(plan_.rowEnd);
  }
  sink.finish();
  piece.rowCount = at - begin;
  return at;
}

}  // namespace seriesdb
