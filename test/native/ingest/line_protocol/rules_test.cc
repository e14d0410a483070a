// The meaning of line protocol, rule by rule, on the slow path and again through the frame cache.
#include <string>

#include "harness.h"
#include "ingest/ingest_fixture.h"
#include "ingest/line_protocol/line_protocol_parser.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

using enum StatusCode;
using Labels = std::vector<std::pair<std::string, std::string>>;

struct LineFixture : Fixture {
  LineFixture() : Fixture{makeLineProtocolParser} {}
};

StatusCode codeOf(const std::string& text) { return LineFixture().codeOf(text); }
bool isGood(const std::string& text) { return codeOf(text) == kOk; }
bool isBad(const std::string& text) { return codeOf(text) == kInvalidRecord; }
std::string messageOf(const std::string& text) { return LineFixture().parse(text).message; }

// The only new series of a text.
PendingSeries seriesOf(const std::string& text) {
  auto outcome = LineFixture().parse(text);
  return outcome.staged.pendingSeries.size() == 1 ? outcome.staged.pendingSeries[0]
                                                  : PendingSeries{};
}

// The values of a text, on both paths; empty if the paths differ.
std::vector<double> valuesOf(const std::string& line) {
  LineFixture fixture;
  fixture.createAll(line);
  const std::string text = line + "\n" + line + "\n" + line + std::string(200, '\n');
  const auto fast = fixture.parse(text);
  if (!sameOutcome(fast, fixture.parseSlowly(text))) return {};
  std::vector<double> values(fast.staged.values.begin(), fast.staged.values.end());
  values.resize(values.size() / 3);
  return values;
}

TEST("a field is named measurement.field, and the field `value` has the measurement's name") {
  LineFixture fixture;
  const auto outcome = fixture.parse("cpu,host=a,zone=b load=1.5,value=2,idle=3i 17\n");
  REQUIRE(outcome.code == kOk && outcome.staged.pendingSeries.size() == 3);
  const auto& series = outcome.staged.pendingSeries;
  EXPECT(series[0].name == "cpu.load" && series[1].name == "cpu" && series[2].name == "cpu.idle");
  EXPECT((series[0].labels == Labels{{"host", "a"}, {"zone", "b"}}));
  EXPECT((outcome.staged.ts == std::vector<Timestamp>{17, 17, 17}));
  EXPECT(sameBits(outcome.staged.values, {1.5, 2, 3}));
}

TEST("a byte order mark before a line is not part of its name") {
  const std::string mark = "\xEF\xBB\xBF";
  const std::string line = "cpu load=1 17";
  EXPECT(seriesOf(mark + line).name == "cpu.load");
  LineFixture fixture;
  fixture.createAll(line);
  const std::string text = mark + line + "\n" + line + "\n" + std::string(200, '\n');
  const auto whole = fixture.parse(text);
  EXPECT(whole.staged.pendingSeries.empty() && whole.staged.values.size() == 2);
  EXPECT(sameOutcome(whole, fixture.parseSlowly(text)));
  EXPECT(fixture.parse(line + "\n" + mark + line).staged.pendingSeries.empty());
  EXPECT(fixture.parse(mark).code == kOk);
}

TEST("another separator or other labels of a request make other series") {
  LineFixture fixture;
  IngestOptions options;
  options.separator = "_";
  options.labels = {{"db", "telegraf"}, {"host", "not this"}};
  for (const char* name : {"cpu.load", "cpu_load"}) {
    const auto outcome =
        fixture.parse("cpu,host=a load=1 1\n", name[3] == '.' ? IngestOptions() : options);
    REQUIRE(outcome.staged.pendingSeries.size() == 1);
    EXPECT(outcome.staged.pendingSeries[0].name == name);
    EXPECT(outcome.staged.pendingSeries[0].labels.size() == (name[3] == '.' ? 1u : 2u));
    fixture.commit(outcome);
  }
  const std::string text = "cpu,host=a load=1 1\ncpu,host=a load=2 2\n" + std::string(200, '\n');
  for (int round = 0; round < 3; ++round) {
    const auto plain = fixture.parse(text);
    const auto other = fixture.parse(text, options);
    EXPECT(plain.staged.pendingSeries.empty() && other.staged.pendingSeries.empty());
    EXPECT(plain.staged.refs.size() == 2 && plain.staged.refs[0] != other.staged.refs[0]);
  }
}

TEST("more label scopes than the cache holds change no result") {
  LineFixture fixture;
  const std::string text = "cpu load=1 1\ncpu load=2 2\n" + std::string(200, '\n');
  for (int round = 0; round < 3; ++round) {
    for (int db = 0; db < 100; ++db) {
      IngestOptions options;
      options.labels = {{"db", std::to_string(db)}};
      const auto outcome = fixture.parse(text, options);
      EXPECT(sameOutcome(outcome, fixture.parseSlowly(text, options)));
      if (round == 0) fixture.commit(outcome);
    }
  }
}

TEST("values may be floats, signed and unsigned integers, and booleans, as in Go") {
  const std::pair<const char*, double> cases[] = {{"1", 1},
                                                  {"-1.5", -1.5},
                                                  {"+1", 1},
                                                  {"1.", 1},
                                                  {".5", 0.5},
                                                  {"-.5", -0.5},
                                                  {"007", 7},
                                                  {"1e3", 1000},
                                                  {"1.e3", 1000},
                                                  {"1E-2", 0.01},
                                                  {"-0", -0.0},
                                                  {"1i", 1},
                                                  {"-3i", -3},
                                                  {"+3i", 3},
                                                  {"007i", 7},
                                                  {"-0i", 0},
                                                  {"18446744073709551615u", 18446744073709551616.0},
                                                  {"5u", 5},
                                                  {"t", 1},
                                                  {"T", 1},
                                                  {"true", 1},
                                                  {"True", 1},
                                                  {"TRUE", 1},
                                                  {"f", 0},
                                                  {"F", 0},
                                                  {"false", 0},
                                                  {"False", 0},
                                                  {"FALSE", 0},
                                                  {"1e-400", 0}};
  for (const auto& [text, value] : cases) {
    EXPECT(sameBits(valuesOf("m a=" + std::string(text) + " 1"), {value}));
    EXPECT(sameBits(valuesOf("m b=2,a=" + std::string(text) + ",c=3"), {2, value, 3}));
  }
}

TEST("an invalid value makes a bad line, NaN and infinity included") {
  for (const char* text : {"",
                           "NaN",
                           "nan",
                           "Inf",
                           "+Inf",
                           "-inf",
                           "infinity",
                           "1.5i",
                           "1e3i",
                           "i",
                           "u",
                           "-1u",
                           "+1u",
                           "1ii",
                           "9223372036854775808i",
                           "18446744073709551616u",
                           "1e309",
                           "abc",
                           "tr",
                           "TrUe",
                           "1_0",
                           "0x10",
                           "1 2 3",
                           "--1",
                           "1e",
                           "-",
                           ".",
                           "+",
                           "'1'",
                           "\"open",
                           "\"a\"b",
                           "1.5n",
                           "t1"}) {
    EXPECT(isBad("m a=" + std::string(text) + " 1") || isBad("m a=" + std::string(text)));
    EXPECT(isBad("m a=" + std::string(text)));
  }
}

TEST("the frame cache reads a field of known integers as the slow parser does") {
  LineFixture fixture;
  fixture.createAll("m a=58i 1\nm a=58u 1\nm b=58i");
  const std::string padding(200, '\n');
  IngestOptions lenient;
  lenient.isLenient = true;
  for (const char* line : {"m a=58.5i 1\n", "m a=-58u 1\n", "m a=5e1i 1\n", "m a=58 1\n",
                           "m a=58t 1\n", "m a=9007199254740993i 1\n", "m a=058i 1\n"}) {
    const std::string text = "m a=1i 1\nm a=2u 2\n" + std::string(line) + line + padding;
    for (int round = 0; round < 3; ++round) {
      EXPECT(sameOutcome(fixture.parse(text, lenient), fixture.parseSlowly(text, lenient)));
    }
  }
}

TEST("integers that no double equals are rounded to nearest and counted") {
  const std::pair<const char*, std::uint64_t> cases[] = {
      {"9007199254740992i", 0}, {"9007199254740993i", 1},     {"-9007199254740993i", 1},
      {"9007199254740994u", 0}, {"18446744073709551615u", 1}, {"9223372036854775807i", 1},
      {"9007199254740993", 1},  {"9007199254740993.0", 0}};
  for (const auto& [text, count] : cases) {
    LineFixture fixture;
    const std::string line = "m a=" + std::string(text) + " 1\n";
    fixture.createAll(line);
    for (int round = 0; round < 2; ++round) {
      EXPECT(fixture.parse(line + line + std::string(200, '\n')).staged.inexactCount == 2 * count);
    }
  }
}

TEST("strings and QuestDB's own types are skipped and counted, also if a line has nothing else") {
  LineFixture fixture;
  auto outcome =
      fixture.parse("m a=\"x, y=1 \\\" \\\\\",b=1,c=5t,d=7n,e=0x1Fi 1\nm a=\"only\" 2\n");
  REQUIRE(outcome.code == kOk);
  EXPECT(outcome.staged.refs.size() == 1 && outcome.staged.lineCount == 2);
  EXPECT((outcome.staged.skipped == SkippedCounts{2, 2, 1}));
  fixture.commit(outcome);
  outcome = fixture.parse("m b=1 1\nm a=\"x\",b=1 1\nm a=\"x\",b=1 1\n" + std::string(200, '\n'));
  EXPECT(outcome.staged.refs.size() == 3 && outcome.staged.skipped[0] == 2);
}

TEST("a newline inside a quoted string does not end the line, however the body is cut") {
  const std::string text =
      "m,t=\"q a=\"one\ntwo\\\"\n\nthree\",b=1 5\nm b=2 6\n# it's \"\nm,x=\"y b=3 7\nbad\n";
  for (std::size_t chunkSize = 1; chunkSize <= text.size(); ++chunkSize) {
    LineFixture fixture;
    IngestOptions lenient;
    lenient.isLenient = true;
    const auto outcome = fixture.parseIn(chunkSize, text, lenient);
    REQUIRE(outcome.code == kOk && outcome.staged.rejected.size() == 1);
    EXPECT(sameBits(outcome.staged.values, {1, 2, 3}) && outcome.staged.skipped[0] == 1);
    EXPECT(outcome.staged.rejected[0].line == 8);
  }
}

TEST("a string without an end is cut off at the line limit") {
  for (const std::size_t chunkSize : {std::size_t{1}, std::size_t{50}, SIZE_MAX}) {
    LineFixture fixture;
    IngestOptions lenient;
    lenient.isLenient = true;
    lenient.limits.lineSizeMax = 100;
    std::string text = "m b=1 5\nm a=\"";
    for (int i = 0; i < 50; ++i) text += "m b=6 6\n";
    const auto outcome = fixture.parseIn(chunkSize, text + "\" 7\nm b=2 8\n", lenient);
    REQUIRE(outcome.code == kOk && outcome.staged.rejected.size() == 1);
    EXPECT(outcome.staged.rejected[0].line == 2);
    EXPECT(outcome.staged.rejected[0].code == kLineTooLong);
    EXPECT(sameBits(outcome.staged.values, {1, 2}));
    const auto open = fixture.parseIn(chunkSize, "m a=\"x\ny", lenient);
    REQUIRE(open.staged.rejected.size() == 1);
    EXPECT(open.staged.rejected[0].error.ends_with("a string has no closing quote"));
  }
}

TEST("backslashes escape only the characters that the position allows") {
  const auto names = [](const std::string& text) {
    const auto series = seriesOf(text);
    std::string all = series.name;
    for (const auto& [key, value] : series.labels) all += "|" + key + "=" + value;
    return all;
  };
  EXPECT(names("a\\,b\\ c\\=d value=1") == "a,b c\\=d");
  EXPECT(names("m,k\\,1\\=2\\ 3=v\\,1\\=2\\ 3 value=1") == "m|k,1=2 3=v,1=2 3");
  EXPECT(names("m a\\,b\\=c\\ d=1") == "m.a,b=c d");
  EXPECT(names("m\\n,k\\t=v\\\\x value=1") == "m\\n|k\\t=v\\\\x");
  EXPECT(names("m,k=a\\\\\\,b value=1") == "m|k=a\\\\,b");
  EXPECT(names("größe,ort=Köln value=1") == "größe|ort=Köln");
}

TEST("tags are sorted, empty ones dropped, duplicates and __name__ refused") {
  EXPECT((seriesOf("m,b=2,a=1 value=1").labels == Labels{{"a", "1"}, {"b", "2"}}));
  EXPECT((seriesOf("m,b=,a=1 value=1").labels == Labels{{"a", "1"}}));
  EXPECT(isBad("m,a=1,a=2 value=1") && isBad("m,a=1,b=2,a=1 value=1"));
  EXPECT(isBad("m,__name__=x value=1"));
  EXPECT(isBad("m,a value=1") && isBad("m,a=1=2 value=1") && isBad("m,=1 value=1"));
  EXPECT(isBad("m, value=1") && isBad("m,a=1") && isBad(",a=1 value=1"));
  std::string many = "m";
  for (int i = 0; i < 64; ++i) many += ",k" + std::to_string(i) + "=v";
  EXPECT(isGood(many + " value=1") && isBad(many + ",one=more value=1"));
}

TEST("names: at most 255 bytes, valid UTF-8, no control characters") {
  const std::string long255(255, 'x');
  EXPECT(isGood(long255 + " value=1") && isBad(long255 + "x value=1"));
  EXPECT(isGood(long255.substr(2) + " a=1") && isBad(long255.substr(1) + " a=1"));
  EXPECT(isGood("m," + long255 + "=1 value=1") && isBad("m,x" + long255 + "=1 value=1"));
  EXPECT(isBad("m\x01 value=1") && isBad("m,a\x7f=1 value=1") && isBad("m a\xc2\x80=1"));
  EXPECT(isGood("m,a=b\x01 value=1"));
  EXPECT(isBad("m\xff value=1") && isBad("m,a=\xff value=1") && isBad("m a=\"\xff\",value=1"));
}

TEST("the last value of a repeated field wins") {
  LineFixture fixture;
  for (int round = 0; round < 3; ++round) {
    const auto outcome = fixture.parse("m a=1,b=2,a=3 1\n" + std::string(200, '\n'));
    REQUIRE(outcome.staged.refs.size() == 2);
    EXPECT(sameBits(outcome.staged.values, {2, 3}));
    if (round == 0) fixture.commit(outcome);
  }
}

TEST("repeated fields count once toward the text limit of a line") {
  const std::string begin = std::string(249, 'm') + " ";
  std::string equal = begin;
  std::string strings = begin;
  std::string distinct = begin;
  for (int i = 0; i < 5000; ++i) {
    equal += "f=1,";
    strings += "f=\"\",";
    distinct += std::to_string(i % 10) + std::to_string(i) + "=1,";
  }
  EXPECT(isGood(equal + "value=2,f=3 1") && isGood(strings + "f=3 1"));
  // 5000 times the measurement and separator, 18,890 digits and 5000 more, and the name of `f`.
  EXPECT(messageOf(distinct + "f=3 1") ==
         "line 1: its series repeat names, labels and descriptions, in total 1274141 bytes; at "
         "most 1048576 are allowed");
  // The values and names of the fields come first.
  EXPECT(messageOf(distinct + "f=x 1").ends_with("\"x\" is not a value"));
  EXPECT(messageOf(distinct + "f\x01=3 1").ends_with("the metric name has a control character"));
  EXPECT(messageOf(distinct + "ffffff=3 1").ends_with("has 256 bytes; at most 255 are allowed"));
}

TEST("blank lines, comments, spaces and carriage returns are skipped") {
  LineFixture fixture;
  const auto outcome = fixture.parse(
      "\n# m value=1 1\n  # x\n \t \r\n\r\n  m value=1 1\r\nm  value=2  2 \r\nm value=3 3");
  EXPECT(outcome.code == kOk && outcome.staged.lineCount == 3);
  EXPECT(sameBits(outcome.staged.values, {1, 2, 3}));
  EXPECT(isGood("") && isGood("\n") && isGood("#"));
  EXPECT(isBad("m") && isBad("m ") && isBad("m value=1 1 2") && isBad("m value=1 x"));
  EXPECT(isBad("m value=1 1.5") && isBad("m value=1 9223372036854775808"));
}

TEST("a line without a time gets the arrival time, in the unit of the request") {
  LineFixture fixture;
  IngestOptions options;
  options.now = 7;
  options.conversion.multiply = 3'600'000;
  const std::string text = "m value=1\nm value=2 -2\nm value=3\n" + std::string(200, '\n');
  for (int round = 0; round < 3; ++round) {
    const auto outcome = fixture.parse(text, options);
    EXPECT((outcome.staged.ts == std::vector<Timestamp>{25'200'000, -7'200'000, 25'200'000}));
    if (round == 0) fixture.commit(outcome);
  }
  options.tsMax = 25'199'999;
  EXPECT(fixture.codeOf(text, options) == kInvalidRecord);
}

TEST("a request may have a time for lines without one, in the database's unit") {
  LineFixture fixture;
  IngestOptions options;
  options.conversion.multiply = 1000;
  const std::string text = "m value=1\nm value=2 -2\nm value=3\n" + std::string(200, '\n');
  // The frames of other requests give a line without a time the time of arrival.
  fixture.createAll("m value=1");
  for (int round = 0; round < 3; ++round) {
    options.at.reset();
    EXPECT(fixture.parse(text, options).code == kOk);
    options.at = 1234 + round;
    const auto outcome = fixture.parse(text, options);
    EXPECT((outcome.staged.ts == std::vector<Timestamp>{1234 + round, -2000, 1234 + round}));
  }
  options.tsMax = 1235;
  EXPECT(fixture.codeOf(text, options) == kInvalidRecord);
}

TEST("an error names the line and shows its beginning") {
  EXPECT(messageOf("m value=1\nfoo bar\n") ==
         "line 2: unable to parse 'foo bar': a field has no value");
  EXPECT(messageOf("m\xff a=1") == "line 1: unable to parse the line: it is not UTF-8");
  EXPECT(messageOf("m a=" + std::string(100, 'x')).find("…'") != std::string::npos);
}

}  // namespace
