// The meaning of rows, rule by rule, on the slow path and again through the frame cache.
#include <string>

#include "csv_fixture.h"
#include "harness.h"
#include "ingest/text/iso_time.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

using enum StatusCode;
using Labels = std::vector<std::pair<std::string, std::string>>;

struct CsvFixture : Fixture {
  CsvFixture() : Fixture{makeCsvParser} {}
};

Outcome parseWide(const std::string& text) { return CsvFixture().parse(text, wideOptions()); }
Outcome parseLong(const std::string& text) { return CsvFixture().parse(text, longOptions()); }
std::string messageOf(const std::string& text) { return parseWide(text).message; }

// The values of a row of the wide table, on both paths; empty if the paths differ.
std::vector<double> valuesOf(const std::string& row) {
  CsvFixture fixture;
  const auto options = wideOptions();
  fixture.commit(fixture.parseSlowly(row, options));
  const std::string text = row + "\n" + row + "\n" + row + std::string(200, '\n');
  const auto fast = fixture.parse(text, options);
  if (!sameOutcome(fast, fixture.parseSlowly(text, options))) return {};
  std::vector<double> values(fast.staged.values.begin(), fast.staged.values.end());
  values.resize(values.size() / 3);
  return values;
}

TEST("a row gives one sample per value, with its time and labels") {
  const auto outcome = parseWide("17,a,0.5,90\n18,a,0.25,\n\n19,,,1e3\r\n");
  REQUIRE(outcome.code == kOk && outcome.staged.pendingSeries.size() == 3);
  const auto& series = outcome.staged.pendingSeries;
  EXPECT(series[0].name == "cpu.load" && series[1].name == "cpu.idle");
  EXPECT((series[0].labels == Labels{{"host", "a"}}));
  EXPECT(series[2].name == "cpu.idle" && series[2].labels.empty());
  EXPECT((outcome.staged.ts == std::vector<Timestamp>{17, 17, 18, 19}));
  EXPECT(sameBits(outcome.staged.values, {0.5, 90, 0.25, 1000}));
  EXPECT(outcome.staged.lineCount == 3);
}

TEST("blank text is skipped, or spoils its row, as the request says") {
  const auto codeOf = [](const std::string& text, SkippedBlanks skipped) {
    CsvFixture fixture;
    auto options = wideOptions();
    fixture.commit(fixture.parseSlowly(text, options));  // Another scope knows the frames.
    options.skippedBlanks = skipped;
    return fixture.parse(text, options).code;
  };
  for (const auto skipped : {SkippedBlanks::kAll, SkippedBlanks::kValues, SkippedBlanks::kNone}) {
    EXPECT(codeOf("\n17,a,1,\n\r\n18,a,,\r\n", skipped) == kOk);
    const bool skipsLines = skipped == SkippedBlanks::kAll;
    EXPECT((codeOf("17,a,1,\n \t\n", skipped) == kOk) == skipsLines);
    EXPECT((codeOf("17,a,1,\n\r\r\n", skipped) == kOk) == skipsLines);
    const bool skipsValues = skipped != SkippedBlanks::kNone;
    EXPECT((codeOf("17,a,1, \n", skipped) == kOk) == skipsValues);
    EXPECT((codeOf("17,a,1,\"\"\n", skipped) == kOk) == skipsValues);
  }
}

TEST("a cell of an empty column must be blank") {
  const auto options = optionsOf({{kTime, ""}, {kEmpty, ""}, {kValue, "x"}, {kEmpty, ""}});
  EXPECT(CsvFixture().parse("1,,2,\n2, ,3,\"\"\n", options).code == kOk);
  EXPECT(CsvFixture().parse("1,0,2,\n", options).code == kInvalidRecord);
  EXPECT(CsvFixture().parse("1,,2,\"a\"\n", options).code == kInvalidRecord);
}

TEST("labels of the request are added to rows without such a label") {
  auto options = wideOptions();
  options.labels = {{"host", "z"}, {"job", "j"}, {"none", ""}};
  const auto outcome = CsvFixture().parse("17,a,1,\n17,,2,\n17,\"\",3,\n", options);
  REQUIRE(outcome.code == kOk && outcome.staged.pendingSeries.size() == 2);
  EXPECT((outcome.staged.pendingSeries[0].labels == Labels{{"host", "a"}, {"job", "j"}}));
  EXPECT((outcome.staged.pendingSeries[1].labels == Labels{{"host", "z"}, {"job", "j"}}));
  options.labels = {{"job", "k"}};
  CsvFixture fixture;
  fixture.commit(fixture.parse("17,a,1,\n", wideOptions()));
  EXPECT(fixture.parse("17,a,1,\n", options).staged.pendingSeries.size() == 1);
  options.labels = {{"a\nb", "k"}};
  EXPECT(fixture.parse("17,a,1,\n", options).code == kInvalidRecord);
}

TEST("a metric column names the metric, and a value column's name follows after a dot") {
  const auto outcome = parseLong("17,cpu,1,a,gauge,percent,2\n18,http,3,,counter,,\n");
  REQUIRE(outcome.code == kOk && outcome.staged.pendingSeries.size() == 3);
  EXPECT(outcome.staged.pendingSeries[0].name == "cpu");
  EXPECT(outcome.staged.pendingSeries[1].name == "cpu.user");
  EXPECT(outcome.staged.pendingSeries[2].name == "http");
  REQUIRE(!outcome.staged.pendingDescriptors.empty());
  EXPECT(outcome.staged.pendingDescriptors[0].descriptor.unit == "percent");
  EXPECT(parseLong("17,,1,a,,,\n").code == kInvalidRecord);
  EXPECT(parseLong("17,,,a,,,\n").code == kOk);
  EXPECT(parseLong("17,cpu,1,a,summary,,\n").code == kInvalidRecord);
}

TEST("too much text of names in a row is reported before a later fault of the row") {
  std::vector<CsvColumn> columns{{ColumnKind::kMetric, ""}, {ColumnKind::kTime, ""}};
  std::string values;
  for (int i = 0; i < 5'000; ++i) {
    columns.push_back({ColumnKind::kValue, std::to_string(i)});
    values += ",1";
  }
  const IngestOptions options = optionsOf(columns);
  const std::string metric(250, 'm');
  const auto outcome = CsvFixture().parse(metric + ",1" + values + "x\n", options);
  // Each of the 5,000 names has 250 bytes, a dot, and 18,890 digits in total.
  EXPECT(outcome.code == kInvalidRecord);
  EXPECT(outcome.message.find("in total 1273890 bytes") != std::string::npos);
  EXPECT(CsvFixture().parse("m,1" + values + "\n", options).code == kOk);
  const auto longName = CsvFixture().parse(std::string(300, 'm') + ",1" + values + "\n", options);
  EXPECT(longName.message.find("has 300 bytes; at most 255") != std::string::npos);
}

TEST("a quoted cell may hold commas, newlines and quotes, and an empty label is left out") {
  const auto outcome = parseWide("1,\"a,\"\"b\"\"\nc\",1,\r\n2,\"\",2,\n3,\"x\",\"3\",\"4\"\n");
  REQUIRE(outcome.code == kOk && outcome.staged.pendingSeries.size() == 4);
  EXPECT((outcome.staged.pendingSeries[0].labels == Labels{{"host", "a,\"b\"\nc"}}));
  EXPECT((outcome.staged.pendingSeries[1].labels == Labels{}));
  EXPECT(sameBits(outcome.staged.values, {1, 2, 3, 4}));
  EXPECT(parseWide("1,a\"b,1,\n").code == kOk);
  EXPECT(messageOf("1,\"a\nb\",1,\n2,\"c\"d,1,\n").starts_with("line 3: unexpected text after"));
  EXPECT(messageOf("1,a,1,\n2,\"c,1,\n\n").starts_with("line 2: a quote is not closed"));
}

TEST("numbers may have a plus sign, leading zeros or a bare dot; NaN, inf and hex are refused") {
  EXPECT(sameBits(valuesOf("1,a,+1,.5"), {1, 0.5}));
  EXPECT(sameBits(valuesOf("1,a, 1. ,007"), {1, 7}));
  EXPECT(sameBits(valuesOf("1,a,-0,\"1e3\""), {-0.0, 1000}));
  EXPECT(sameBits(valuesOf("\"1\",a,2,3"), {2, 3}));
  EXPECT(sameBits(valuesOf("\xEF\xBB\xBF"
                           "1,a,2,3"),
                  {2, 3}));
  for (const char* const bad : {"NaN", "inf", "1e999", "0x1", "1,5", "--1", "+-1", "1 2", "t"}) {
    EXPECT(parseWide("1,a,\"" + std::string(bad) + "\",2\n").code == kInvalidRecord);
  }
}

TEST("times are integers of the request's unit, or ISO 8601") {
  auto options = wideOptions();
  options.conversion.multiply = 1000;
  const auto outcome = CsvFixture().parse(
      "17,a,1,\n2023-11-14T22:13:20.0015Z,a,2,\n\"2023-11-14 23:13:20+01\",a,3,\n", options);
  REQUIRE(outcome.code == kOk);
  EXPECT((outcome.staged.ts == std::vector<Timestamp>{17000, 1700000000001, 1700000000000}));
  EXPECT(messageOf(",a,1,\n") == "line 1: the time is missing");
  EXPECT(messageOf("x,a,1,\n").find("neither an integer nor ISO 8601") != std::string::npos);
  EXPECT(messageOf("99999999999999999999,a,1,\n").find("64-bit") != std::string::npos);
  options.tsMax = 1700000000000;
  EXPECT(CsvFixture().parse("2023-11-14T22:13:21Z,a,1,\n", options).code == kInvalidRecord);
  options.nanosPerUnit = 1;
  EXPECT(CsvFixture().parse("2500-01-01,a,1,\n", options).code == kInvalidRecord);
}

TEST("ISO times accept valid calendar dates only") {
  const auto seconds = [](std::string_view text) {
    const auto moment = readIsoTime(text);
    return moment ? moment->seconds : -1;
  };
  EXPECT(seconds("1970-01-01") == 0 && seconds("1970-01-01T00:01") == 60);
  EXPECT(seconds("2024-02-29T12:00:00Z") == 1709208000);
  EXPECT(seconds("1969-12-31T23:59:58Z") == -2 && seconds("1970-01-01T01:30:07+01:30") == 7);
  EXPECT(seconds("1970-01-01-01") == 3600 && seconds("0000-01-01") == -62167219200);
  EXPECT(readIsoTime("1970-01-01T00:00:00.1234567899Z")->nanos == 123456789);
  for (const char* const bad :
       {"", "1970", "1970-1-1", "1970-02-30", "2023-02-29", "1970-01-01T", "1970-01-01T24:00",
        "1970-01-01T00:60", "1970-01-01T00:00:60Z", "1970-01-01T00:00:00.Z", "1970-01-01T1:00",
        "1970-01-01T00:00Zx", "1970-13-01", "1970-00-01", "1970-01-00", "70-01-01", "1970-01-01+1",
        "-1970-01-01", "1970-01-01T00:00,5"}) {
    EXPECT(!readIsoTime(bad));
  }
}

TEST("a row with another number of cells is refused, and so is one that is not UTF-8") {
  EXPECT(messageOf("1,a,1\n") ==
         "line 1: the row has 3 cells; the header or mapping has 4 columns");
  EXPECT(messageOf("1,a,1,2,3\n") ==
         "line 1: the row has 5 cells; the header or mapping has 4 columns");
  EXPECT(parseWide("1,\xff,1,2\n").code == kInvalidRecord);
  EXPECT(parseWide(" \n\r\n").code == kOk);
}

TEST("line numbers count the lines before the text") {
  auto options = wideOptions();
  options.linesBefore = 2;
  EXPECT(CsvFixture().parse("1,a,1,2\nx\n", options).message.starts_with("line 4: "));
}

TEST("the frame cache tells rows of different column mappings apart") {
  CsvFixture fixture;
  const std::string text = "1,a,2,3\n2,a,2,3\n" + std::string(200, '\n');
  auto turned = wideOptions();
  std::swap(turned.columns[2], turned.columns[3]);
  for (const auto& options : {wideOptions(), turned}) {
    fixture.commit(fixture.parseSlowly(text, options));
  }
  for (int round = 0; round < 3; ++round) {
    const auto one = fixture.parse(text, wideOptions());
    const auto other = fixture.parse(text, turned);
    REQUIRE(one.staged.refs.size() == 4 && other.staged.refs.size() == 4);
    EXPECT(one.staged.refs[0] == other.staged.refs[1]);
    EXPECT(one.staged.refs[1] == other.staged.refs[0]);
  }
}

TEST("column mappings without meaning or with duplicates are refused") {
  const auto isGood = [](std::vector<CsvColumn> columns) { return checkColumns(columns).ok(); };
  EXPECT(isGood({{kTime, "ts"}, {kValue, "a"}, {kSkipped, ""}, {kSkipped, ""}}));
  EXPECT(isGood({{kTime, ""}, {kMetric, ""}, {kValue, ""}, {kValue, "a"}}));
  EXPECT(!isGood({}) && !isGood({{kTime, ""}}) && !isGood({{kValue, "a"}}));
  EXPECT(!isGood({{kTime, ""}, {kValue, ""}}));
  EXPECT(!isGood({{kTime, "a"}, {kTime, "b"}, {kValue, "v"}}));
  EXPECT(!isGood({{kTime, ""}, {kValue, "v"}, {kValue, "v"}}));
  EXPECT(!isGood({{kTime, ""}, {kValue, "v"}, {kLabel, ""}}));
  EXPECT(!isGood({{kTime, ""}, {kValue, "v"}, {kLabel, "a"}, {kLabel, "a"}}));
  EXPECT(!isGood({{kTime, ""}, {kValue, "v"}, {kLabel, "a\n"}}));
}

TEST("required labels are added, and rows with another value are refused") {
  auto options = wideOptions();
  options.required = {{"host", "a"}, {"tenant", "t"}};
  CsvFixture fixture;
  const auto outcome = fixture.parse("1,a,1,\n2,,2,\n", options);
  REQUIRE(outcome.staged.pendingSeries.size() == 1);
  EXPECT((outcome.staged.pendingSeries[0].labels == Labels{{"host", "a"}, {"tenant", "t"}}));
  EXPECT(fixture.codeOf("1,b,1,\n", options) == kInvalidRecord);
}

}  // namespace
