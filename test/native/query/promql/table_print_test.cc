// Printed tables: the order of rows, and hidden labels.
#include "query/promql/text/table_print.h"

#include <algorithm>
#include <random>

#include "harness.h"

using namespace seriesdb;

namespace {

using Labels = std::vector<std::pair<std::string, std::string>>;

// Keys a, b and c with texts x and y, or none.
StepTable tableOf(const std::vector<std::vector<std::uint32_t>>& codes) {
  StepTable table;
  table.rowCount = codes.size();
  table.labels.emplace();
  for (std::size_t column = 0; column < 3; ++column) {
    LabelColumn& made = table.labels->columns.emplace_back();
    made.key = std::string(1, static_cast<char>('a' + column));
    made.texts = {"x", "y"};
    for (const auto& row : codes) made.codes.push_back(row[column]);
  }
  table.values.append(std::vector<double>(codes.size(), 1));
  return table;
}

Labels labelsOf(const StepTable& table, std::uint32_t row) {
  Labels labels;
  for (const LabelColumn& column : table.labels->columns) {
    const std::uint32_t code = column.codes[row];
    if (code != 0) labels.emplace_back(column.key, column.texts[code - 1]);
  }
  return labels;
}

std::string textOf(const StepTable& table, const TablePrintForm& form) {
  EXPECT(TablePrint(table, form).print().check().ok());
  std::string text;
  EXPECT(printShort(table, form, text));
  return text;
}

}  // namespace

TEST("rows of a table are printed in the order of their labels") {
  std::mt19937_64 random(test::seed());
  const auto digit = [&random] { return static_cast<std::uint32_t>(random() % 3); };
  std::size_t unordered = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<std::vector<std::uint32_t>> codes(1 + random() % 8);
    for (auto& row : codes) row = {digit(), digit(), digit()};
    const StepTable table = tableOf(codes);
    std::vector<std::uint32_t> wanted(codes.size());
    for (std::uint32_t i = 0; i < wanted.size(); ++i) wanted[i] = i;
    std::ranges::stable_sort(wanted, {}, [&](std::uint32_t row) { return labelsOf(table, row); });
    const TablePrint made(table, {{0, 1, 1}, false, {}});
    const auto isSame = [&](std::uint32_t a, std::uint32_t b) {
      return labelsOf(table, a) == labelsOf(table, b);
    };
    const bool areApart = std::ranges::adjacent_find(wanted, isSame) == wanted.end();
    EXPECT(made.areApart() == areApart);
    EXPECT(!areApart || std::ranges::equal(made.print().order, wanted));
    if (areApart && !std::ranges::is_sorted(wanted)) ++unordered;
    const TablePrint instant(table, {{0, 1, 1}, true, {}});
    EXPECT(instant.areApart() == areApart && std::ranges::is_sorted(instant.print().order));
  }
  EXPECT(unordered > 30);
}

TEST("a hidden label is not printed") {
  const StepTable table = tableOf({{1, 2, 1}, {1, 1, 0}});
  const std::string_view hidden[] = {"a", "none"};
  const std::string rest = ",\"values\":[[0,\"1\"]]}";
  EXPECT(textOf(table, {{0, 1, 1}, false, hidden}) ==
         "{\"metric\":{\"b\":\"x\"}" + rest + ",{\"metric\":{\"b\":\"y\",\"c\":\"x\"}" + rest);
}

TEST("a short print refuses rows with equal labels, and tables that are too large") {
  const StepTable table = tableOf({{1, 2, 1}, {1, 1, 1}, {1, 2, 0}});
  const std::string_view a[] = {"a"}, b[] = {"b"}, c[] = {"c"};
  std::string text = "before";
  EXPECT(!printShort(table, {{0, 1, 1}, false, b}, text) && text == "before");
  EXPECT(!printShort(table, {{0, 1, 1}, true, c}, text) && text == "before");
  EXPECT(!printShort(tableOf({{1, 1, 1}, {1, 1, 1}}), {{0, 1, 1}, false, {}}, text));
  StepTable many = tableOf({{1, 1, 1}});
  many.values.append(std::vector<double>(4999, 1));
  EXPECT(!printShort(many, {{0, 1, 5000}, false, {}}, text) && text == "before");
  EXPECT(printShort(table, {{0, 1, 1}, false, a}, text) && text.starts_with("before{"));
}

TEST("a table without rows prints nothing") {
  const std::string_view a[] = {"a"};
  EXPECT(textOf(tableOf({}), {{0, 1, 1}, false, a}).empty());
}
