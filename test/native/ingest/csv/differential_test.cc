// The frame cache and the slow path agree on good rows, mutated rows, and any split into chunks.
#include <random>
#include <string>
#include <vector>

#include "csv_fixture.h"
#include "harness.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

using Random = std::mt19937_64;

std::string randomValue(Random& random) {
  static const char* const kOdd[] = {"-0",
                                     "1.",
                                     ".5",
                                     "+1",
                                     "007",
                                     "1e3",
                                     "1e309",
                                     "1e-400",
                                     "NaN",
                                     "",
                                     "\"\"",
                                     "\"1\"\"2\"",
                                     " 5",
                                     "6 ",
                                     "9007199254740993",
                                     "123456789012345678901234567890",
                                     "+-1"};
  if (random() % 12 == 0) return oneOf(random, kOdd);
  std::string text = random() % 2 == 0
                         ? std::to_string(static_cast<double>(random() % 1000000) / 1000)
                         : std::to_string(static_cast<int>(random() % 1000) - 300);
  return random() % 10 == 0 ? "\"" + text + "\"" : text;
}

std::string randomTime(Random& random) {
  if (random() % 20 == 0) return "2023-11-14T22:13:" + std::to_string(10 + random() % 50) + "Z";
  if (random() % 40 == 0) return "";
  return std::to_string(1700000000000 + random() % 1000000);
}

std::string randomHost(Random& random) {
  static const char* const kOdd[] = {"",         "\"\"",  "\"a,b\"", "\"q\"\"x\"",
                                     "\"a\nb\"", "größe", "a\"b",    "7"};
  if (random() % 8 == 0) return oneOf(random, kOdd);
  return "h" + std::to_string(random() % 12);
}

std::string randomRow(Random& random, const IngestOptions& options) {
  static const char* const kMetrics[] = {"cpu", "mem,\"", "größe", ""};
  std::string row;
  for (const auto& column : options.columns) {
    if (!row.empty() || &column != options.columns.data()) row += ",";
    switch (column.kind) {
      case kTime:
        row += randomTime(random);
        break;
      case kMetric:
        row += random() % 30 == 0 ? oneOf(random, kMetrics) : kMetrics[0];
        break;
      case kValue:
        row += randomValue(random);
        break;
      case kLabel:
        row += randomHost(random);
        break;
      case kKind:
        row += random() % 20 == 0 ? "counter" : "gauge";
        break;
      default:
        break;
    }
  }
  return row + (random() % 10 == 0 ? "\r" : "");
}

void mutate(Random& random, std::string& line) {
  static constexpr char kBytes[] = ",\"\"0123456789.eE +-:TZ\t\r\n\0x\x80\xff";
  test::mutate(random, {kBytes, sizeof kBytes - 1}, line);
}

IngestOptions randomOptions(Random& random) {
  IngestOptions options = random() % 2 == 0 ? wideOptions() : longOptions();
  options.isLenient = random() % 4 != 0;
  if (random() % 4 == 0) options.limits.lineSizeMax = 20 + random() % 40;
  if (random() % 8 == 0) options.limits.bodySizeMax = random() % 4000;
  if (random() % 4 == 0) options.conversion.multiply = random() % 2 == 0 ? 1000 : 1000000;
  if (random() % 4 == 0 && options.conversion.multiply == 1) options.conversion.divide = 1000;
  if (random() % 6 == 0) options.tsMax = 1700000500000;
  if (random() % 6 == 0) options.required = {{"tenant", random() % 2 == 0 ? "x" : "y"}};
  options.linesBefore = random() % 3;
  return options;
}

std::string randomBody(Random& random, const IngestOptions& options, unsigned mutationRate) {
  std::vector<std::string> shapes;
  for (int i = 0; i < 6; ++i) shapes.push_back(randomRow(random, options));
  std::string body;
  for (std::size_t i = 0; i < 150; ++i) {
    // Runs of one shape, so that prediction and templates work.
    auto row = random() % 3 == 0 ? shapes[i % shapes.size()] : randomRow(random, options);
    if (mutationRate > 0 && random() % mutationRate == 0) mutate(random, row);
    body += row + (random() % 30 == 0 ? "\n\n" : "\n");
  }
  if (random() % 2 == 0) body.pop_back();
  return body;
}

// Creates the series of every row that is good on its own.
void createAll(Fixture& fixture, const std::string& body, IngestOptions options) {
  options.isLenient = true;
  options.limits = {};
  fixture.commit(fixture.parseSlowly(body, options));
}

TEST("parsing with and without the frame cache agrees on good and on mutated rows") {
  Random random(seed());
  Fixture fixture{makeCsvParser};
  for (int round = 0; round < rounds(1500); ++round) {
    const auto options = randomOptions(random);
    const auto body = randomBody(random, options, round % 3 == 0 ? 0 : 4 + round % 20);
    if (round % 4 == 0) createAll(fixture, body, options);
    const auto fast = fixture.parse(body, options);
    const auto again = fixture.parseIn(1 + random() % 3000, body, options);
    const auto slow = fixture.parseSlowly(body, options);
    EXPECT(sameOutcome(fast, slow));
    EXPECT(sameOutcome(again, slow));
  }
}

TEST("parsing with and without the frame cache agrees after a change of any byte") {
  Random random(seed() + 1);
  Fixture fixture{makeCsvParser};
  for (int round = 0; round < rounds(10); ++round) {
    auto options = wideOptions();
    options.isLenient = true;
    auto body = randomBody(random, options, 0);
    body.resize(400);
    createAll(fixture, body, options);
    fixture.parse(body, options);
    for (std::size_t at = 0; at < body.size(); ++at) {
      auto changed = body;
      static constexpr char kBytes[] = ", \"0.e-+\n\r\x80";
      changed[at] = kBytes[random() % (sizeof kBytes - 1)];
      EXPECT(sameOutcome(fixture.parse(changed, options), fixture.parseSlowly(changed, options)));
    }
  }
}

TEST("a body cut in two anywhere, or read byte by byte, gives the same result") {
  Random random(seed() + 2);
  Fixture fixture{makeCsvParser};
  for (int round = 0; round < 12; ++round) {
    const auto options = randomOptions(random);
    auto body = randomBody(random, options, round % 2 == 0 ? 0 : 3);
    body.resize(std::min<std::size_t>(body.size(), 500));
    createAll(fixture, body, options);
    const auto whole = fixture.parseSlowly(body, options);
    for (std::size_t size = 1; size < body.size(); ++size) {
      EXPECT(sameOutcome(fixture.parseIn(size, body, options), whole));
    }
  }
}

}  // namespace
