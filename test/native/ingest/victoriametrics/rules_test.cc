// Rules and limits of VictoriaMetrics' JSON lines, and their messages.
#include <string>

#include "harness.h"
#include "ingest/staged_rows.h"
#include "ingest/victoriametrics/victoriametrics_parser.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

using Rows = std::vector<std::string>;

const std::string kGood = R"({"metric":{"__name__":"m"},"values":[1],"timestamps":[5]})";

std::string lineWith(const std::string& metric, const std::string& values,
                     const std::string& times) {
  return "{\"metric\":" + metric + ",\"values\":" + values + ",\"timestamps\":" + times + "}";
}
std::string lineOf(const std::string& values, const std::string& times) {
  return lineWith(R"({"__name__":"m"})", values, times);
}

IngestOptions lenient() {
  IngestOptions options;
  options.isLenient = true;
  return options;
}

// The rows, or the message.
Rows read(const std::string& body, const IngestOptions& options = {}) {
  Fixture fixture{makeVictoriaMetricsParser};
  const Outcome outcome = fixture.parse(body, options);
  if (outcome.code != StatusCode::kOk) return {outcome.message};
  return rowsOf(fixture, outcome.staged);
}

bool refuses(const std::string& line, const std::string& message) {
  const Rows told = read(line);
  const bool isSame = told == Rows{"line 1: " + message};
  if (!isSame) std::printf("%s\n", told.empty() ? "accepted" : told.front().c_str());
  return isSame;
}

}  // namespace

TEST("a line gives a sample for each value, in the order of the line") {
  EXPECT((read(R"({"metric":{"__name__":"cpu","host":"a"},"values":[1,2.5],"timestamps":[7,6]})") ==
          Rows{"cpu{host=a} 7 1", "cpu{host=a} 6 2.5"}));
  EXPECT((read("\n" + kGood + "\r\n \n" + kGood) == Rows{"m{} 5 1", "m{} 5 1"}));
  EXPECT(read("").empty() && read(lineOf("[]", "[]")).empty());
}

TEST("null and NaN are one quiet NaN, and infinities are infinities") {
  Fixture fixture{makeVictoriaMetricsParser};
  const auto outcome =
      fixture.parse(lineOf(R"([null,"NaN","null","Infinity","-Infinity",-0])", "[1,2,3,4,5,6]"));
  REQUIRE(outcome.code == StatusCode::kOk);
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  constexpr double kMost = std::numeric_limits<double>::infinity();
  EXPECT(sameBits(outcome.staged.values, {kNone, kNone, kNone, kMost, -kMost, -0.0}));
}

TEST("a bad line is refused by name, with its line number") {
  const std::string what = " must be a number, null, \"NaN\", \"Infinity\" or \"-Infinity\"";
  EXPECT(refuses(lineOf("[1,2,3]", "[1,2]"), "\"values\" has 3 items, but \"timestamps\" has 2"));
  EXPECT(refuses(lineOf("[1]", "[]"), "\"values\" has 1 items, but \"timestamps\" has 0"));
  EXPECT(refuses(lineOf("[1,\"x\"]", "[1,2]"), "values[1]" + what));
  EXPECT(refuses(lineOf("[true]", "[1]"), "values[0]" + what));
  EXPECT(refuses(lineOf("[[1]]", "[1]"), "values[0]" + what));
  EXPECT(refuses(lineOf("[1e309]", "[1]"), "values[0] is too large for a double"));
  EXPECT(refuses(lineOf("[1]", "[1.5]"), "timestamps[0] must be an integer, in milliseconds"));
  EXPECT(refuses(lineOf("[1]", "[\"1\"]"), "timestamps[0] must be an integer, in milliseconds"));
  EXPECT(refuses(lineOf("1", "[1]"), "\"values\" must be an array"));
  EXPECT(refuses(lineOf("[1]", "null"), "\"timestamps\" must be an array"));
  EXPECT(refuses(lineWith("\"m\"", "[1]", "[1]"), "\"metric\" must be an object"));
  EXPECT(refuses(lineWith(R"({"__name__":5})", "[1]", "[1]"),
                 "a value in \"metric\" must be a string"));
  EXPECT(refuses(lineWith(R"({"job":"x"})", "[1]", "[1]"),
                 R"({job="x"}: the label __name__ is missing)"));
  EXPECT(refuses(lineWith(R"({"__name__":"m","a":"b","a":"c"})", "[1]", "[1]"),
                 R"({__name__="m",a="b",a="c"}: the label "a" occurs twice)"));
  EXPECT(refuses("{\"values\":[1],\"values\":[2]}", "\"values\" occurs twice"));
  EXPECT(refuses("{\"metric\":{},\"values\":[]}", "\"timestamps\" is missing"));
  EXPECT(refuses("[1]", "the line is JSON but not an object"));
  EXPECT(refuses("x", "the line is not JSON: unexpected `x`"));
  EXPECT(refuses(kGood + "{}", "the line is not JSON: unexpected `{`"));
  EXPECT(refuses("{\"metric\":{}", "the line is not JSON: it ends within its object"));
  EXPECT(refuses(kGood.substr(0, 20) + "\n" + kGood.substr(20),
                 "the line is not JSON: it ends within its object"));
  EXPECT(refuses("\x1f\x8b\x08", "the body is gzip; send the header Content-Encoding: gzip"));
  EXPECT((read(kGood + "\n\nx") == Rows{"line 3: the line is not JSON: unexpected `x`"}));
}

TEST("a lenient body stores the good lines, and keeps the beginning of each bad one") {
  Fixture fixture{makeVictoriaMetricsParser};
  IngestOptions options = lenient();
  options.limits.lineSizeMax = 100;
  const std::string longLine = lineOf("[" + std::string(5'000, '1') + "]", "[1]");
  const Outcome outcome =
      fixture.parse(kGood + "\n" + longLine + "\r\nx\r\n" + kGood + "\n{", options);
  REQUIRE(outcome.code == StatusCode::kOk);
  EXPECT((rowsOf(fixture, outcome.staged) == Rows{"m{} 5 1", "m{} 5 1"}));
  EXPECT(outcome.staged.lineCount == 5);
  const auto& rejected = outcome.staged.rejected;
  REQUIRE(rejected.size() == 3);
  EXPECT(rejected[0].line == 2 && rejected[0].text == longLine.substr(0, 100));
  EXPECT(rejected[0].error == "line 2: a number has more than 1024 characters");
  EXPECT(rejected[1].line == 3 && rejected[1].text == "x");
  EXPECT(rejected[2].line == 5 && rejected[2].text == "{");
}

TEST("a rejected line leaves neither samples nor a series") {
  Fixture fixture{makeVictoriaMetricsParser};
  const Outcome outcome = fixture.parse(lineOf("[1,2,3]", "[1,2]") + "\n" + kGood, lenient());
  REQUIRE(outcome.code == StatusCode::kOk);
  EXPECT((rowsOf(fixture, outcome.staged) == Rows{"m{} 5 1"}));
  EXPECT(outcome.staged.pendingSeries.size() == 1);
}

TEST("times become the database's unit, and those beyond it or in the far future are refused") {
  IngestOptions nanos;
  nanos.conversion.multiply = 1'000'000;
  EXPECT((read(kGood, nanos) == Rows{"m{} 5000000 1"}));
  EXPECT((read(lineOf("[1,2]", "[1,9223372036854775]"), nanos) ==
          Rows{"line 1: timestamps[1]: the time does not fit the database's timestamp unit"}));
  IngestOptions skew;
  skew.tsMax = 4;
  EXPECT((read(kGood, skew) == Rows{"line 1: timestamps[0]: the time is further in the future "
                                    "than max_future_skew allows"}));
}

TEST("labels have limits, and a token's label is added or enforced") {
  std::string many = R"({"__name__":"m")";
  for (int i = 0; i < 200; ++i) many += ",\"k" + std::to_string(i) + "\":\"\"";
  EXPECT(read(lineWith(many + "}", "[1]", "[1]")).front().find("there are 201 labels") !=
         std::string::npos);
  const std::string huge = R"({"__name__":"m","a":")" + std::string(1'100'000, 'x') + "\"}";
  EXPECT(refuses(lineWith(huge, "[1]", "[1]"), "the labels have more than 1048576 bytes"));
  IngestOptions bound;
  bound.required = {{"team", "a"}};
  EXPECT((read(kGood, bound) == Rows{"m{team=a} 5 1"}));
  EXPECT(read(lineWith(R"({"__name__":"m","team":"b"})", "[1]", "[1]"), bound)
             .front()
             .ends_with("the label \"team\" must be \"a\": the token allows no other value"));
}

TEST("a line is as long as the body may be, and a larger body is refused") {
  std::string values = "[1";
  std::string times = "[1";
  for (int i = 1; i < 100'000; ++i) {
    values += ",1";
    times += "," + std::to_string(i);
  }
  const std::string line = lineOf(values + "]", times + "]");
  EXPECT(read(line).size() == 100'000);
  IngestOptions options;
  options.limits.bodySizeMax = line.size() - 1;
  EXPECT(read(line, options).front().find("max_body_bytes") != std::string::npos);
}

TEST("a line of more samples than a request may have is refused, in lenient mode, too") {
  std::string values = "[1";
  values.reserve(2 * kRequestSamplesMax + 200'000);
  for (std::size_t i = 0; i < kRequestSamplesMax + 50'000; ++i) values += ",1";
  Fixture fixture{makeVictoriaMetricsParser};
  const Outcome outcome = fixture.parse(lineOf(values + "]", "[1]"), lenient());
  EXPECT(outcome.code == StatusCode::kPayloadTooLarge);
}
