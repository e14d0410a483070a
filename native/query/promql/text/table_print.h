// Prints a table of labelled rows.
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
  std::span<const std::string_view> hidden;  // Keys of labels that are not printed; borrowed.
};

class TablePrint {
 public:
  // REQUIRES: the table has labels, and cells of the grid. The table must outlive this.
  TablePrint(const StepTable& table, const TablePrintForm& form);
  TablePrint(const TablePrint&) = delete;
  TablePrint& operator=(const TablePrint&) = delete;

  // False if two rows have the same printed labels.
  bool areApart() const { return areApart_; }
  // In the order of the table for an instant, else ordered by labels. Borrows from this and the
  // table.
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

// Appends the rows to `text`. If two rows have the same labels, or the rows are many, returns false
// and appends nothing.
bool printShort(const StepTable& table, const TablePrintForm& form, std::string& text);

}  // namespace seriesdb
