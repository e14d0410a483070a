// The worst bodies of this format, and the pauses within a long line.
#include "harness.h"
#include "ingest/costly_formats.h"
#include "ingest/victoriametrics/victoriametrics_parser.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

std::string sampleLine(const std::string& values, const std::string& times) {
  return R"({"metric":{"__name__":"m"},"values":[)" + values + "],\"timestamps\":[" + times +
         "]}\n";
}

// A line for each of many new series.
std::string newSampleLines() {
  std::string body;
  for (int i = 0; i < 100'000; ++i) {
    body += R"({"metric":{"__name__":"m","a":")" + std::to_string(i) +
            R"("},"values":[1],"timestamps":[1]})" + "\n";
  }
  return body;
}

std::vector<CostlyBody> costlySampleLines() {
  const auto make = makeVictoriaMetricsParser;
  const std::string items = jsonItems("1,", 2'000'000);
  const std::string longText = "{\"a\":\"" + std::string(std::size_t{8} << 20, 'x') + "\"}\n";
  return {
      {"samples of a line", make, sampleLine(items, items)},
      {"values of a line without times", make, sampleLine(items, "")},
      {"bad values at the end of long lines", make,
       repeated(sampleLine(jsonItems("1,", 100'000) + ",{}", "1"), 20)},
      {"lines of new series", make, newSampleLines()},
      {"brackets of a line", make, std::string(std::size_t{8} << 20, '[')},
      {"bad lines", make, repeated("x\n", 500'000)},
      {"empty objects of lines", make, repeated("{}\n", 500'000)},
      {"blank lines", make, repeated("\n", 1'000'000)},
      {"labels of a line", make,
       "{\"metric\":{" + jsonItems("\"\":\"\",", 1'000'000) + "}}\n"},
      {"long texts of lines", make, repeated(longText, 2)},
  };
}

const CostRegistration registration{{
    .name = "VictoriaMetrics",
    .make = makeVictoriaMetricsParser,
    .secondsPerByte = 120e-9,
    .body = repeated(R"({"metric":{"__name__":"m","a":"b"},"values":[1,null],"timestamps":[1,2]})"
                     "\n",
                     3),
    .bodies = costlySampleLines,
}};

std::string listOf(int count, int first) {
  std::string list;
  for (int i = 0; i < count; ++i) list += (i > 0 ? "," : "") + std::to_string(first + i);
  return list;
}

}  // namespace

TEST("a line that fills most of a body is read in steps, with the same result") {
  const std::string body =
      repeated(sampleLine(listOf(30'000, 0), listOf(30'000, 1'000)), 2) + "x\n";
  for (const bool isLenient : {false, true}) {
    IngestOptions options;
    options.isLenient = isLenient;
    Fixture fixture{makeVictoriaMetricsParser};
    const Outcome expected = fixture.parse(body, options);
    EXPECT((expected.code == StatusCode::kOk) == isLenient);
    EXPECT(!isLenient || expected.staged.refs.size() == 60'000);
    for (const std::size_t pieceSize : {body.size(), std::size_t{65'536}, std::size_t{4'999}}) {
      const Stepped stepped =
          parseInSteps(*fixture.state, body, options, pieceSize, makeVictoriaMetricsParser);
      EXPECT(sameOutcome(stepped.outcome, expected));
      EXPECT(stepped.stepCount >= body.size() / 32'768);
    }
  }
}

TEST("requests of long lines may interleave") {
  const std::string body = sampleLine(listOf(9'000, 0), listOf(9'000, 1'000));
  Fixture fixture{makeVictoriaMetricsParser};
  const Outcome expected = fixture.parse(body);
  const auto one = makeVictoriaMetricsParser(*fixture.state, {});
  const auto other = makeVictoriaMetricsParser(*fixture.state, {});
  for (std::size_t at = 0; at < body.size(); at += 1'000) {
    const auto piece = asBytes(std::string_view(body).substr(at, 1'000));
    EXPECT(one->write(piece).ok());
    EXPECT(other->write(piece).ok());
  }
  EXPECT(one->finish().ok() && other->finish().ok());
  EXPECT(sameStaged(one->take(), expected.staged));
  EXPECT(sameStaged(other->take(), expected.staged));
}
