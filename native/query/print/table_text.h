// The rows of a table as text, ordered and cut, in pieces.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/parallel.h"
#include "common/types/result_table.h"
#include "query/print/row_text.h"

namespace seriesdb {

class TableText {
 public:
  // REQUIRES: the plan's places lie within the table.
  TableText(ResultTable table, TextPlan plan);

  // Replaces `piece` by the next 256 KiB or so; it has no rows at the end. If rows are many,
  // several threads print pieces ahead. The table is freed when the last piece is printed, so that
  // returning printed pieces takes no time.
  void next(RowTexts& piece, const Threads& threads);
  // True if the next piece is already printed.
  bool hasPrinted() const { return given_ < printed_.size(); }

 private:
  bool isBefore(std::uint32_t a, std::uint32_t b) const;
  void sortRows();
  void prepareTexts();
  void print(const Threads& threads);
  // Prints rows from `begin` up to `end`, or until `bytes` are reached. Returns the first row not
  // printed.
  std::size_t printRows(RowTexts& piece, std::size_t begin, std::size_t end,
                        std::size_t bytes) const;
  // The state of a column from row to row.
  struct Scratch {
    std::string text;  // A text that is not cached.
    NearIntegers near;
  };
  void addCell(TextSink& sink, const TextColumn& column, std::size_t row, Scratch& scratch) const;
  void addText(TextSink& sink, const TextColumn& column, std::uint32_t code,
               std::string& scratch) const;

  ResultTable table_;
  const TextPlan plan_;
  std::vector<std::uint32_t> rows_;              // The order; empty if rows keep theirs.
  std::vector<std::vector<std::string>> texts_;  // Cached texts, by the table's column and by code.
  bool hasLongTexts_ = false;                    // True if some column's texts are not cached.
  std::size_t rowSizeMax_ = 0;                   // Bytes of a row without uncached texts.
  std::vector<RowTexts> printed_;  // Pieces printed ahead; the first given_ of them are returned.
  std::size_t given_ = 0;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
};

}  // namespace seriesdb
