// Rows at steps as JSON.
#include "query/promql/text/step_numbers.h"
#include "query/promql/text/step_text.h"

#include <cmath>
#include <functional>
#include <limits>
#include <mutex>
#include <random>
#include <thread>

#include "harness.h"

using namespace seriesdb;

namespace {

std::string valueText(double value) {
  char text[kNumberSizeMax];
  return {text, writeStepValue(text, value)};
}

std::string timeText(std::int64_t ms) {
  char text[kNumberSizeMax];
  return {text, writeStepTime(text, ms)};
}

std::string textOf(const StepPrint& print, Threads threads = {}) {
  EXPECT(print.check().ok());
  StepText text(print, std::move(threads));
  std::string all;
  std::string piece;
  do {
    EXPECT(text.next(piece).ok());
    all += piece;
  } while (!piece.empty());
  return all;
}

// The expected text, cell by cell.
std::string naiveTextOf(const StepPrint& print) {
  std::string text;
  for (const std::uint32_t row : print.order) {
    std::string cells;
    const std::size_t steps = print.grid.count;
    for (std::size_t cell = row * steps; cell < (row + 1) * steps; ++cell) {
      if (!print.present.empty() && print.present[cell] == 0) continue;
      cells += (cells.empty() ? "[" : ",[") + timeText(print.grid.at(cell - row * steps)) + ",\"" +
               valueText(print.values[cell]) + "\"]";
    }
    if (cells.empty()) continue;
    text += std::string(text.empty() ? "" : ",") + "{\"metric\":{";
    const std::uint32_t code = print.labels[0].codes[row];
    if (code != 0) text += "\"k\":\"" + std::string(code == 1 ? "x" : "yy") + "\"";
    text += "},\"values\":[" + cells + "]}";
  }
  return text;
}

}  // namespace

TEST("values are printed as Go prints them, and times as seconds") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT(valueText(0) == "0" && valueText(-0.0) == "-0" && valueText(1.5) == "1.5");
  EXPECT(valueText(std::nan("")) == "NaN");
  EXPECT(valueText(kInfinity) == "+Inf" && valueText(-kInfinity) == "-Inf");
  EXPECT(valueText(1e-6) == "0.000001" && valueText(9.5e-7) == "9.5e-07");
  EXPECT(valueText(1e21) == "1e+21" && valueText(-1.25e100) == "-1.25e+100");
  EXPECT(valueText(123456789012345680000.0) == "123456789012345680000");
  EXPECT(valueText(5e-324) == "5e-324");
  EXPECT(timeText(1435781451781) == "1435781451.781" && timeText(1000) == "1");
  EXPECT(timeText(500) == "0.500" && timeText(7) == "0.007" && timeText(-1500) == "-1.500");
}

TEST("rows without values are left out, and the others print in the requested order") {
  const std::vector<double> values = {1, 2, 3, 4, 5, 6};
  const std::vector<std::uint8_t> present = {1, 0, 0, 0, 1, 1};
  const std::vector<std::uint32_t> ends = {1, 3};
  const std::vector<std::uint32_t> codes = {2, 1, 0};
  const std::vector<std::uint32_t> order = {2, 1, 0};
  StepPrint print;
  print.rowCount = 3;
  print.labels.push_back({"a\"", asBytes("xy\n"), ends, codes});
  print.grid = {1000, 500, 2};
  print.values = values;
  print.present = present;
  print.order = order;
  EXPECT(textOf(print) == "{\"metric\":{},\"values\":[[1,\"5\"],[1.500,\"6\"]]},"
                          "{\"metric\":{\"a\\\"\":\"y\\n\"},\"values\":[[1,\"1\"]]}");
  print.isInstant = true;
  EXPECT(!print.check().ok());
  print.grid.count = 1;
  print.values = std::span(values).first(3);
  print.present = std::span(present).subspan(2, 3);
  EXPECT(textOf(print) == "{\"metric\":{},\"value\":[1,\"3\"]}");
  const std::vector<std::uint32_t> beyond = {3};
  print.order = beyond;
  EXPECT(!print.check().ok());
}

TEST("a long row is printed in pieces, and each sample with its own time") {
  const std::vector<double> values(50'000, 0.1);
  std::vector<double> times;
  for (std::size_t i = 0; i < values.size(); ++i) times.push_back(static_cast<double>(i));
  const std::vector<std::uint32_t> ends = {50'000, 50'000};
  const std::vector<std::uint32_t> order = {0, 1};
  StepPrint print;
  print.rowCount = 2;
  print.values = values;
  print.isOfSamples = true;
  print.ends = ends;
  print.times = times;
  print.order = order;
  const std::string text = textOf(print);
  EXPECT(text.starts_with("{\"metric\":{},\"values\":[[0,\"0.1\"],[0.001,\"0.1\"],"));
  EXPECT(text.ends_with(",[49.999,\"0.1\"]]}"));
  // Several threads print the same text; their pieces are blocks.
  const auto post = [](const std::function<void()>& task) {
    std::thread(task).join();
    return true;
  };
  EXPECT(textOf(print, {post, 3}) == text);
  StepText pieces(print);
  std::string piece;
  EXPECT(pieces.next(piece).ok() && piece.size() < (std::size_t{300} << 10));
}

TEST("several threads print the same text as one thread") {
  const std::vector<std::uint32_t> textEnds = {1, 3};
  std::mt19937_64 engine(test::seed());
  const auto below = [&engine](std::uint64_t limit) { return engine() % limit; };
  for (int round = 0; round < test::rounds(40); ++round) {
    const std::size_t rows = below(60) + 1;
    const std::size_t steps = below(below(4) == 0 ? 20'000 : 300) + 1;
    std::vector<double> values(rows * steps);
    std::vector<std::uint8_t> present(values.size());
    std::vector<std::uint32_t> codes(rows);
    std::vector<std::uint32_t> order(rows);
    for (double& value : values) value = static_cast<double>(below(1000)) / 7;
    for (std::uint32_t& code : codes) code = static_cast<std::uint32_t>(below(3));
    // Some rows are empty, some full, some in between.
    for (std::size_t cell = 0; cell < present.size(); ++cell) {
      const std::size_t kind = cell / steps % 4;
      present[cell] = kind == 0 ? 0 : kind == 1 ? 1 : below(100) == 0;
    }
    for (std::uint32_t& row : order) row = static_cast<std::uint32_t>(below(rows));
    StepPrint print;
    print.rowCount = rows;
    print.labels.push_back({"k", asBytes("xyy"), textEnds, codes});
    print.grid = {static_cast<std::int64_t>(below(5000)) - 2000,
                  static_cast<std::int64_t>(below(3000)) + 1, steps};
    print.values = values;
    if (below(4) != 0) print.present = present;
    print.order = order;
    std::vector<std::thread> helpers;
    std::mutex mutex;
    const auto post = [&](std::function<void()> task) {
      const std::lock_guard lock(mutex);
      helpers.emplace_back(std::move(task));
      return true;
    };
    const std::string expected = naiveTextOf(print);
    EXPECT(textOf(print) == expected);
    EXPECT(textOf(print, {post, below(5) + 1}) == expected);
    for (std::thread& helper : helpers) helper.join();
  }
}
