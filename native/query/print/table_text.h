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
  // REQUIRES: places within the table.
  TableText(ResultTable table, TextPlan plan);

  // Replaces `piece` by the next 256 KiB or so; without rows when there are none. Of many rows, as
  // many pieces are printed at once as there may be threads. With the last of them the table is
  // given back, so that to give what is printed takes no time.
  void next(RowTexts& piece, const Threads& threads);
  // Whether the next piece is printed already.
  bool hasPrinted() const { return given_ < printed_.size(); }

 private:
  bool isBefore(std::uint32_t a, std::uint32_t b) const;
  void sortRows();
  void prepareTexts();
  void print(const Threads& threads);
  // The rows from `begin` to `end`, or until there are so many bytes; returns where it ended.
  std::size_t printRows(RowTexts& piece, std::size_t begin, std::size_t end,
                        std::size_t bytes) const;
  // What a column that is printed needs from row to row.
  struct Scratch {
    std::string text;  // One that is not kept.
    NearIntegers near;
  };
  void addCell(TextSink& sink, const TextColumn& column, std::size_t row, Scratch& scratch) const;
  void addText(TextSink& sink, const TextColumn& column, std::uint32_t code,
               std::string& scratch) const;

  ResultTable table_;
  const TextPlan plan_;
  std::vector<std::uint32_t> rows_;              // The order; empty: as they are.
  std::vector<std::vector<std::string>> texts_;  // By column of the table and code, where kept.
  bool hasLongTexts_ = false;   // That are not kept.
  std::size_t rowSizeMax_ = 0;  // Less those.
  std::vector<RowTexts> printed_;  // Some pieces before at_, of which those up to given_ are given.
  std::size_t given_ = 0;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
};

}  // namespace seriesdb
