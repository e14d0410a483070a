// The rows of a table as text, ordered and cut, in pieces.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "query/result_table.h"
#include "query/row_text.h"

namespace seriesdb {

class TableText {
 public:
  // REQUIRES: places within the table.
  TableText(ResultTable table, TextPlan plan);

  // Replaces `piece` by the next 256 KiB or so; without rows when there are none.
  void next(RowTexts& piece);

 private:
  bool isBefore(std::uint32_t a, std::uint32_t b) const;
  void sortRows();
  void prepareTexts();
  void addCell(TextSink& sink, const TextColumn& column, std::size_t row);
  void addText(TextSink& sink, const TextColumn& column, std::uint32_t code);

  const ResultTable table_;
  const TextPlan plan_;
  std::vector<std::uint32_t> rows_;              // The order; empty: as they are.
  std::vector<std::vector<std::string>> texts_;  // By column of the table and code, where kept.
  std::string scratch_;
  std::size_t rowSizeMax_ = 0;  // Less texts that are not kept.
  std::size_t at_ = 0;
  std::size_t end_ = 0;
};

}  // namespace seriesdb
