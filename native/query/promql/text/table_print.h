// A table of labelled rows as it is printed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "query/promql/step_table.h"
#include "query/promql/text/step_print.h"

namespace seriesdb {

struct TablePrintForm {
  StepGrid grid;
  bool isInstant = false;
  std::span<const std::string_view> hidden;  // Keys of labels that are not printed; lent.
};

class TablePrint {
 public:
  // REQUIRES: labels, and cells of the grid. The table must outlive this.
  TablePrint(const StepTable& table, const TablePrintForm& form);
  TablePrint(const TablePrint&) = delete;
  TablePrint& operator=(const TablePrint&) = delete;

  // False where two rows have the same labels, of those that are printed.
  bool areApart() const { return areApart_; }
  // At one step in the order of the table, else by labels. Lent by this and by the table.
  const StepPrint& print() const { return print_; }

 private:
  struct Texts {
    std::string bytes;
    std::vector<std::uint32_t> ends;
  };

  void addColumn(const LabelColumn& column, Texts& texts);
  bool isBefore(std::uint32_t left, std::uint32_t right) const;
  bool hasMore(std::uint32_t row, std::size_t column) const;

  bool areApart_ = true;
  std::vector<Texts> texts_;
  std::vector<std::uint32_t> order_;
  StepPrint print_;
};

// Puts the rows behind `text`. False, and nothing is put, where two of them have the same labels or
// they are many.
bool printShort(const StepTable& table, const TablePrintForm& form, std::string& text);

}  // namespace seriesdb
