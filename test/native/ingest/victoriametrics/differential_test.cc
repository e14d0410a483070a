// Random and mutated lines mean what a naive reader says, however they are cut.
#include "harness.h"
#include "ingest/staged_rows.h"
#include "ingest/victoriametrics/naive_reader.h"
#include "ingest/victoriametrics/victoriametrics_parser.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

using Random = std::mt19937_64;

std::string listOf(Random& random, std::size_t count, std::string (*item)(Random&)) {
  const char* const blank = random() % 8 == 0 ? " " : "";
  std::string list = "[";
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) list += std::string(blank) + ",";
    list += blank + item(random);
  }
  return list + "]";
}

std::string randomValue(Random& random) {
  static const std::string kOdd[] = {
      "null",   "\"NaN\"", "\"Infinity\"",     "\"-Infinity\"", "\"null\"", "-0",
      "1e-400", "1e308",   "9007199254740993", "0.1",           "-2.5e+3",  "\"\\u004eaN\""};
  return random() % 4 == 0 ? oneOf(random, kOdd) : std::to_string(random() % 100'000);
}

std::string randomTime(Random& random) {
  return std::to_string(1'549'891'472'000 + random() % 900);
}

std::string randomLine(Random& random) {
  static const std::string kNames[] = {"cpu", "größe", "a.b", "\\u0063pu"};
  static const std::string kLabels[] = {R"("host":"a")", R"("path":"b\"c")", R"("zone":"")",
                                        R"("n":"1")", R"("\u00e4":"\ud83d\ude00")"};
  static const std::string kOthers[] = {R"("x":[1,{"values":[2]}])", R"("y":null)", R"("z":"\n")"};
  const std::size_t count = random() % 5 == 0 ? 0 : random() % 40;
  std::string labels = "{\"__name__\":\"" + oneOf(random, kNames) + '"';
  for (const std::string& label : kLabels) {
    if (random() % 3 == 0) labels += "," + label;
  }
  std::vector<std::string> members = {"\"metric\":" + labels + "}",
                                      "\"values\":" + listOf(random, count, randomValue),
                                      "\"timestamps\" :" + listOf(random, count, randomTime)};
  if (random() % 4 == 0) members.push_back(oneOf(random, kOthers));
  if (random() % 3 == 0) std::shuffle(members.begin(), members.end(), random);
  std::string line = "{";
  for (const std::string& member : members) {
    line.append(line.size() > 1 ? "," : "").append(member);
  }
  return line + (random() % 6 == 0 ? "} \r" : "}");
}

const LineMaker kMaker{randomLine, "{}[],:\"\\-.0e1nN \x01\xff", " \t\r"};

// The rows that the naive reader gives for a line of a known series.
std::vector<std::string> rowsOfNaive(const NaiveLine& line, std::string_view name) {
  std::vector<std::pair<std::string, std::string>> labels;
  for (const auto& label : line.labels) {
    if (label.first != "__name__" && !label.second.empty()) labels.push_back(label);
  }
  std::ranges::sort(labels);
  struct Series {
    std::string name;
    const std::vector<std::pair<std::string, std::string>>& labels;
  };
  const std::string series = seriesText(Series{std::string(name), labels});
  std::vector<std::string> rows;
  for (const NaiveSample& sample : line.samples) {
    rows.push_back(series + " " + std::to_string(sample.ms) + " " + valueText(sample.value));
  }
  return rows;
}

bool hasControl(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0xFF);
    if (byte < 0x20 || byte == 0x7F || (byte == 0xC2 && next < 0xA0)) return true;
  }
  return false;
}

// Empty if the labels break a rule; only mutated lines do.
std::optional<std::string> nameOf(const NaiveLine& line) {
  std::optional<std::string> name;
  std::vector<std::string> keys;
  for (const auto& [key, value] : line.labels) {
    if (value.empty()) continue;
    if (key.empty() || hasControl(key)) return std::nullopt;
    keys.push_back(key);
    if (key == "__name__") name = value;
  }
  std::ranges::sort(keys);
  if (std::ranges::adjacent_find(keys) != keys.end()) return std::nullopt;
  return name && hasControl(*name) ? std::nullopt : name;
}

struct Expected {
  std::vector<std::string> rows;
  std::size_t lines = 0;
  std::size_t rejected = 0;
};

Expected naiveOf(std::string_view body) {
  Expected all;
  while (!body.empty()) {
    const std::string_view line = body.substr(0, body.find('\n'));
    body.remove_prefix(std::min(body.size(), line.size() + 1));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    ++all.lines;
    const std::optional<NaiveLine> read = naiveLine(line);
    const auto name = read ? nameOf(*read) : std::nullopt;
    if (!read || (!name && !read->samples.empty())) {
      ++all.rejected;
    } else if (name) {
      for (std::string& row : rowsOfNaive(*read, *name)) all.rows.push_back(std::move(row));
    }
  }
  return all;
}

// Prints the first line that one of the two readers refuses alone.
void printDifference(std::string_view body) {
  while (!body.empty()) {
    const std::string_view line = body.substr(0, body.find('\n'));
    body.remove_prefix(std::min(body.size(), line.size() + 1));
    Fixture fixture{makeVictoriaMetricsParser};
    const Outcome outcome = fixture.parse(line);
    const bool isGood = naiveOf(line).rejected == 0;
    if ((outcome.code == StatusCode::kOk) == isGood) continue;
    std::printf("the naive reader %s: %s\n%s\n", isGood ? "accepts" : "refuses",
                std::string(line).c_str(), outcome.message.c_str());
    return;
  }
}

IngestOptions lenient() {
  IngestOptions options;
  options.isLenient = true;
  return options;
}

}  // namespace

TEST("lines of VictoriaMetrics, good and mutated, mean what a naive reader says, however cut") {
  Random random(seed());
  Fixture fixture{makeVictoriaMetricsParser};
  for (int round = 0; round < rounds(400); ++round) {
    const std::string body = makeBody(random, kMaker, 12, round % 2 == 0 ? 0 : 3);
    const Expected expected = naiveOf(body);
    const Outcome outcome = fixture.parse(body, lenient());
    REQUIRE(outcome.code == StatusCode::kOk);
    if (outcome.staged.rejected.size() != expected.rejected) printDifference(body);
    REQUIRE(rowsOf(fixture, outcome.staged) == expected.rows);
    REQUIRE(outcome.staged.rejected.size() == expected.rejected);
    EXPECT(outcome.staged.lineCount == expected.lines);
    EXPECT(round % 2 == 1 || expected.rejected == 0);
    for (const std::size_t size : {std::size_t{1}, 1 + random() % 60}) {
      EXPECT(sameOutcome(fixture.parseIn(size, body, lenient()), outcome));
      EXPECT(sameOutcome(
          parseInSteps(*fixture.state, body, lenient(), size, makeVictoriaMetricsParser).outcome,
          outcome));
    }
    const Outcome strict = fixture.parse(body);
    EXPECT((strict.code == StatusCode::kOk) == (expected.rejected == 0));
    EXPECT(sameOutcome(fixture.parseIn(1 + random() % 60, body, {}), strict));
    fixture.commit(outcome);
  }
}
