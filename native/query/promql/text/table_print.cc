#include "query/promql/text/table_print.h"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "common/base/check.h"
#include "query/promql/text/step_text.h"

namespace seriesdb {

TablePrint::TablePrint(const StepTable& table, const TablePrintForm& form)
    : order_(table.rowCount) {
  CHECK(table.labels && !table.isOfSamples);
  texts_.reserve(table.labels->columns.size());
  for (const LabelColumn& column : table.labels->columns) {
    if (std::ranges::find(form.hidden, column.key) != form.hidden.end()) continue;
    addColumn(column, texts_.emplace_back());
  }
  print_.rowCount = table.rowCount;
  print_.grid = form.grid;
  print_.isInstant = form.isInstant;
  print_.values = table.values;
  print_.present = table.present;
  std::iota(order_.begin(), order_.end(), 0U);
  const auto before = [this](std::uint32_t a, std::uint32_t b) { return isBefore(a, b); };
  if (!std::ranges::is_sorted(order_, before)) std::ranges::sort(order_, before);
  const auto isSame = [&before](std::uint32_t a, std::uint32_t b) { return !before(a, b); };
  areApart_ = std::ranges::adjacent_find(order_, isSame) == order_.end();
  if (form.isInstant) std::iota(order_.begin(), order_.end(), 0U);
  print_.order = order_;
}

void TablePrint::addColumn(const LabelColumn& column, Texts& texts) {
  for (const std::string_view text : column.texts) {
    texts.bytes.append(text);
    texts.ends.push_back(static_cast<std::uint32_t>(texts.bytes.size()));
  }
  print_.labels.push_back({column.key, asBytes(texts.bytes), texts.ends, column.codes});
}

// Compares pair by pair; a row whose pairs are a prefix of another's comes first.
bool TablePrint::isBefore(std::uint32_t left, std::uint32_t right) const {
  for (std::size_t i = 0; i < print_.labels.size(); ++i) {
    const std::uint32_t a = print_.labels[i].codes[left];
    const std::uint32_t b = print_.labels[i].codes[right];
    if (a == b) continue;
    if (a == 0) return !hasMore(left, i + 1);
    return b == 0 ? hasMore(right, i + 1) : a < b;
  }
  return false;
}

bool TablePrint::hasMore(std::uint32_t row, std::size_t column) const {
  return std::any_of(print_.labels.begin() + static_cast<std::ptrdiff_t>(column),
                     print_.labels.end(),
                     [row](const StepPrint::Column& one) { return one.codes[row] != 0; });
}

bool printShort(const StepTable& table, const TablePrintForm& form, std::string& text) {
  const TablePrint rows(table, form);
  return rows.areApart() && StepText::printShort(rows.print(), text);
}

}  // namespace seriesdb
