// Tables as text against the plainest printer: random columns with nulls, random orders and cuts,
// both quoting styles.
#include "query/print/table_text.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <thread>

#include "common/types/identity.h"
#include "harness.h"
#include "query/expression/expression.h"

using namespace seriesdb;

namespace {

using Kind = ResultColumn::Kind;

const std::string kTexts[] = {"", " ", "\"q\"", "a", "a,b", "line\r\n", "\\", "\x01", "é", "😀"};

ResultColumn randomColumn(std::mt19937_64& random, std::size_t rows) {
  ResultColumn column;
  column.kind = static_cast<Kind>(random() % 5);
  column.isLowestNull = random() % 2 == 0;
  const bool hasNulls = random() % 2 == 0;
  if (column.kind == Kind::kText) column.texts.assign(std::begin(kTexts), std::end(kTexts));
  for (std::size_t row = 0; row < rows; ++row) {
    const bool isNull = random() % 5 == 0;
    const auto small = static_cast<std::int64_t>(random() % 7) - 3;
    column.integers.push_back(isNull ? INT64_MIN : small * (small == 3 ? INT64_MAX / 3 : 1));
    if (hasNulls) column.nulls.push_back(isNull ? 1 : 0);
    column.ids.push_back(random() % 5);
    column.booleans.push_back(static_cast<std::uint8_t>(random() % (kTrue + 1)));
    column.doubles.push_back(isNull ? std::numeric_limits<double>::quiet_NaN()
                                    : static_cast<double>(small) / 8);
    column.codes.push_back(isNull ? ResultColumn::kNull
                                  : static_cast<std::uint32_t>(random() % std::size(kTexts)));
  }
  return column;
}

// A null prints as empty text.
std::string plainText(const ResultColumn& column, std::size_t row, bool isCsv) {
  std::string text;
  switch (column.kind) {
    case Kind::kInteger:
      if (!column.nulls.empty() && column.nulls[row] != 0) return "";
      if (column.nulls.empty() && column.isLowestNull && column.integers[row] == INT64_MIN) {
        return "";
      }
      return std::to_string(column.integers[row]);
    case Kind::kSeriesId:
      return std::to_string(column.ids[row]);
    case Kind::kDouble:
      if (!std::isnan(column.doubles[row])) appendValue(text, column.doubles[row]);
      return text;
    case Kind::kText:
      if (column.codes[row] != ResultColumn::kNull) {
        appendCell(text, kTexts[column.codes[row]], isCsv);
      }
      return text;
    case Kind::kBoolean:
      if (column.booleans[row] == kUnknown) return "";
      return column.booleans[row] == kTrue ? "true" : "false";
  }
  return text;
}

// A number that sorts as the column does; null is the greatest in either direction.
double rankOf(const ResultColumn& column, const TextOrderKey& key, std::size_t row) {
  if (plainText(column, row, true).empty()) return INFINITY;
  const double sign = key.isDescending ? -1 : 1;
  switch (column.kind) {
    case Kind::kInteger:
      return sign * static_cast<double>(column.integers[row]);
    case Kind::kSeriesId:
      return sign * static_cast<double>(column.ids[row]);
    case Kind::kDouble:
      return sign * column.doubles[row];
    case Kind::kText:
      return sign * column.codes[row];
    case Kind::kBoolean:
      return sign * column.booleans[row];
  }
  return 0;
}

std::string plainRows(const ResultTable& table, const TextPlan& plan) {
  std::vector<std::size_t> rows(table.rowCount);
  for (std::size_t row = 0; row < rows.size(); ++row) rows[row] = row;
  for (auto key = plan.order.rbegin(); key != plan.order.rend(); ++key) {
    const ResultColumn& column = table.columns[key->place];
    std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
      return rankOf(column, *key, a) < rankOf(column, *key, b);
    });
  }
  std::string out;
  for (std::size_t i = plan.offset; i < rows.size() && i - plan.offset < plan.limit; ++i) {
    if (i > plan.offset) out += plan.between;
    for (const TextColumn& column : plan.columns) {
      const std::string text = plainText(table.columns[column.place], rows[i], plan.isCsv);
      out += column.before + (text.empty() ? std::string(plan.null()) : text);
    }
    out += plan.rowEnd;
  }
  return out;
}

TextPlan randomPlan(std::mt19937_64& random, std::size_t width) {
  TextPlan plan;
  plan.isCsv = random() % 2 == 0;
  plan.between = plan.isCsv ? "" : ",";
  plan.rowEnd = plan.isCsv ? "\r\n" : "]";
  for (std::uint64_t i = 1 + random() % 5; i > 0; --i) {
    TextColumn& column = plan.columns.emplace_back();
    column.place = static_cast<std::uint32_t>(random() % width);
    column.before = plan.columns.size() > 1 ? "," : plan.isCsv ? "" : "[";
  }
  for (std::uint64_t i = random() % 3; i > 0; --i) {
    plan.order.push_back({static_cast<std::uint32_t>(random() % width), random() % 2 == 0});
  }
  if (random() % 2 == 0) plan.offset = random() % 40;
  if (random() % 2 == 0) plan.limit = random() % 40;
  return plan;
}

}  // namespace

TEST("a table printed in pieces equals its cells printed one by one") {
  std::mt19937_64 random(test::seed());
  std::vector<std::thread> helpers;
  const auto post = [&helpers](const std::function<void()>& task) {
    helpers.emplace_back(task);
    return true;
  };
  for (int round = 0; round < 400; ++round) {
    const std::size_t threads = 1 + random() % 4;
    ResultTable table;
    table.rowCount = round % 20 == 0 ? 20'000 : random() % 60;
    for (std::uint64_t i = 1 + random() % 4; i > 0; --i) {
      table.columns.push_back(randomColumn(random, table.rowCount));
    }
    const TextPlan plan = randomPlan(random, table.columns.size());
    TableText text(table, plan);
    std::string printed;
    RowTexts piece;
    std::uint64_t rows = 0;
    while (!piece.isLast) {
      text.next(piece, {post, threads});
      if (rows > 0 && piece.rowCount > 0) printed += plan.between;
      printed += piece.text;
      rows += piece.rowCount;
    }
    for (std::thread& helper : helpers) helper.join();
    helpers.clear();
    EXPECT(printed == plainRows(table, plan));
    EXPECT(rows ==
           std::min<std::uint64_t>(
               plan.limit, table.rowCount - std::min<std::uint64_t>(plan.offset, table.rowCount)));
  }
}
