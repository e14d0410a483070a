// Rows at steps as JSON.
#include "steps/step_text.h"

#include <cmath>
#include <limits>

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

std::string textOf(const StepPrint& print) {
  EXPECT(print.check().ok());
  StepText text(print);
  std::string all;
  std::string piece;
  do {
    EXPECT(text.next(piece).ok());
    all += piece;
  } while (!piece.empty());
  return all;
}

}  // namespace

TEST("values at steps are printed as Go prints them, and times as seconds") {
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

TEST("rows without a value are left out, and the others come in the order asked for") {
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
  EXPECT(textOf(print) == "{\"metric\":{},\"value\":[1,\"5\"]},"
                          "{\"metric\":{\"a\\\"\":\"y\\n\"},\"value\":[1,\"1\"]}");
  const std::vector<std::uint32_t> beyond = {3};
  print.order = beyond;
  EXPECT(!print.check().ok());
}

TEST("a long row is printed in pieces, and samples have times of their own") {
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
  StepText pieces(print);
  std::string piece;
  EXPECT(pieces.next(piece).ok() && piece.size() < (std::size_t{300} << 10));
}
