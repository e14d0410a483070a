// The rules of an ingest line, one by one, on the slow path and again through the frame cache.
#include <string>

#include "harness.h"
#include "ingest/ingest_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

using enum StatusCode;

// A telemetry line with `members` after its metric and ts.
std::string line(const std::string& members) {
  return "{\"metric\":\"m\",\"ts\":1," + members + "}";
}
StatusCode codeOf(const std::string& text) { return Fixture().codeOf(text); }
bool isGood(const std::string& text) { return codeOf(text) == kOk; }
bool isInvalid(const std::string& text) { return codeOf(text) == kInvalidRecord; }
bool isNotJson(const std::string& text) { return codeOf(text) == kInvalidJson; }

// The only new series of a text.
PendingSeries seriesOf(const std::string& text) {
  auto outcome = Fixture().parse(text);
  return outcome.staged.pendingSeries.size() == 1 ? outcome.staged.pendingSeries[0]
                                                  : PendingSeries{};
}

TEST("a value and fields give samples of the base metric and its siblings, in order") {
  Fixture fixture;
  const auto outcome =
      fixture.parse("{\"metric\":\"m\",\"fields\":{\"b\":2,\"a\":3.5},\"ts\":7,\"value\":-0}");
  REQUIRE(outcome.code == kOk && outcome.staged.pendingSeries.size() == 3);
  EXPECT(outcome.staged.pendingSeries[0].name == "m.b");
  EXPECT(outcome.staged.pendingSeries[1].name == "m.a");
  EXPECT(outcome.staged.pendingSeries[2].name == "m");
  EXPECT((outcome.staged.refs ==
          std::vector<SeriesRef>{kPendingBit, kPendingBit | 1, kPendingBit | 2}));
  EXPECT((outcome.staged.ts == std::vector<Timestamp>{7, 7, 7}));
  EXPECT(sameBits(outcome.staged.values, {2, 3.5, -0.0}));
}

TEST("an integer that no double equals is counted, with and without the frame cache") {
  Fixture fixture;
  const auto lineOf = [](const std::string& value) {
    return line("\"other\":9007199254740993,\"value\":" + value) + "\n";
  };
  fixture.ingest(lineOf("1"));
  const std::pair<const char*, std::uint64_t> cases[] = {{"9007199254740992", 0},
                                                         {"9007199254740993", 1},
                                                         {"-9007199254740993", 1},
                                                         {"9007199254740994", 0},
                                                         {"9007199254740993.0", 0},
                                                         {"9007199254740993e0", 0},
                                                         {"1152921504606846976", 0},
                                                         {"1152921504606846977", 1},
                                                         {"100000000000000000000", 0},
                                                         {"100000000000000000001", 1},
                                                         {"12345678901234567890123456789012", 1}};
  for (const auto& [value, count] : cases) {
    for (ParserState* state : {fixture.state.get(), fixture.slowState.get()}) {
      const auto outcome = parseText(*state, lineOf(value) + lineOf(value));
      EXPECT(outcome.staged.values.size() == 2);
      EXPECT(outcome.staged.inexactCount == 2 * count);
    }
  }
}

TEST("a telemetry line needs a value or a field; null is an absent value") {
  EXPECT(isGood(line("\"value\":1")));
  EXPECT(isGood(line("\"fields\":{\"a\":1}")));
  EXPECT(isGood(line("\"value\":null,\"fields\":{\"a\":1}")));
  EXPECT(isInvalid("{\"metric\":\"m\",\"ts\":1}"));
  EXPECT(isInvalid(line("\"value\":null")));
  EXPECT(isInvalid(line("\"fields\":{}")));
  for (const char* bad : {"\"1\"", "true", "{}", "[]"})
    EXPECT(isInvalid(line(std::string("\"value\":") + bad)));
}

TEST("fields hold only numbers, under valid names") {
  for (const char* bad : {"\"1\"", "true", "null", "{}", "[1]"}) {
    EXPECT(isInvalid(line("\"value\":1,\"fields\":{\"a\":1,\"b\":" + std::string(bad) + "}")));
  }
  EXPECT(isInvalid(line("\"fields\":{\"\":1}")));
  EXPECT(isInvalid(line("\"fields\":{\"a\\u0001\":1}")));
  EXPECT(isInvalid(line("\"fields\":[1]")));
  EXPECT(isGood(line("\"fields\":{\"" + std::string(253, 'f') + "\":1}")));
  EXPECT(isInvalid(line("\"fields\":{\"" + std::string(254, 'f') + "\":1}")));
}

TEST("label values are strings, numbers or booleans; null labels are left out, keys sorted") {
  const auto series =
      seriesOf(line("\"value\":1,\"labels\":{\"z\":\"\\u00e9\",\"a\":1.50,\"t\":true,\"f\":false,"
                    "\"n\":null,\"e\":-1E5 }"));
  const std::vector<std::pair<std::string, std::string>> expected{
      {"a", "1.50"}, {"e", "-1E5"}, {"f", "false"}, {"t", "true"}, {"z", "é"}};
  EXPECT(series.labels == expected);
  EXPECT(isInvalid(line("\"value\":1,\"labels\":{\"a\":{}}")));
  EXPECT(isInvalid(line("\"value\":1,\"labels\":{\"a\":[]}")));
  EXPECT(isInvalid(line("\"value\":1,\"labels\":{\"\":\"a\"}")));
  EXPECT(isInvalid(line("\"value\":1,\"labels\":\"a\"")));
}

TEST("names and keys have 1 to 255 bytes without control characters") {
  const auto named = [](const std::string& name) {
    return "{\"metric\":\"" + name + "\",\"ts\":1,\"value\":1}";
  };
  EXPECT(isGood(named(std::string(255, 'x'))));
  EXPECT(isInvalid(named(std::string(256, 'x'))));
  EXPECT(isInvalid(named("")));
  EXPECT(isInvalid(named("a\\u0000b")));
  EXPECT(isInvalid(named("a\\n")));
  EXPECT(isInvalid(named("a\x7f")));
  EXPECT(isInvalid(named("a\\u0085")));
  EXPECT(isGood(named("größe µs 温度")));
  EXPECT(isInvalid("{\"metric\":5,\"ts\":1,\"value\":1}"));
  EXPECT(isGood(line("\"value\":1,\"labels\":{\"" + std::string(255, 'k') + "\":\"\"}")));
  EXPECT(isInvalid(line("\"value\":1,\"labels\":{\"" + std::string(256, 'k') + "\":\"\"}")));
}

TEST("a control character is found at every position of names of any length") {
  for (std::size_t size = 1; size <= 20; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      const auto named = [&](const std::string& character) {
        const std::string name = std::string(at, 'x') + character + std::string(size - at - 1, 'x');
        return "{\"metric\":\"" + name + "\",\"ts\":1,\"value\":1}";
      };
      for (const char* bad : {"\\u0000", "\\u001f", "\x7f", "\\u0080", "\\u009f"}) {
        EXPECT(isInvalid(named(bad)));
      }
      for (const char* good : {" ", "~", "\\u00a0", "\xc3\x9f", "\xe6\xb8\xa9"}) {
        EXPECT(isGood(named(good)));
      }
    }
  }
}

TEST("required labels are added, may be repeated, and refuse another value") {
  IngestOptions options;
  options.required = {{"b", "1"}, {"tenant", "a"}};
  const auto parse = [&](const std::string& labels) {
    return Fixture().parse(line("\"value\":1,\"labels\":" + labels), options);
  };
  const OwnedLabels all = {{"a", "x"}, {"b", "1"}, {"tenant", "a"}};
  for (const char* labels : {R"({"a":"x"})", R"({"tenant":"a","a":"x"})", R"({"b":1,"a":"x"})",
                             R"({"tenant":"","a":"x"})"}) {
    const auto outcome = parse(labels);
    REQUIRE(outcome.code == kOk && outcome.staged.pendingSeries.size() == 1);
    EXPECT(outcome.staged.pendingSeries[0].labels == all);
  }
  for (const char* labels : {R"({"tenant":"b"})", R"({"b":true})"}) {
    EXPECT(parse(labels).code == kInvalidRecord);
  }
  const auto legacy = Fixture().parse(R"({"series":"s","ts":1,"value":1})", options);
  REQUIRE(legacy.staged.pendingSeries.size() == 1);
  EXPECT(legacy.staged.pendingSeries[0].labels == options.required);
  std::string many;
  for (int i = 0; i < 62; ++i) many += (i == 0 ? "{\"k" : ",\"k") + std::to_string(i) + "\":1";
  EXPECT(parse(many + "}").code == kOk);
  EXPECT(parse(many + ",\"k\":1}").code == kInvalidRecord);
}

TEST("64 labels are accepted and 65 refused; null labels do not count") {
  const auto labelled = [](int count) {
    std::string labels = "\"none\":null";
    for (int i = 0; i < count; ++i) labels += ",\"k" + std::to_string(i) + "\":\"v\"";
    return line("\"value\":1,\"labels\":{" + labels + "}");
  };
  EXPECT(isGood(labelled(64)));
  EXPECT(isInvalid(labelled(65)));
}

TEST("an identity has at most 16 KiB") {
  // m|{"k":"…"} takes 10 bytes beside the value.
  const auto labelled = [](std::size_t size) {
    return line("\"value\":1,\"labels\":{\"k\":\"" + std::string(size, 'v') + "\"}");
  };
  EXPECT(isGood(labelled(kIdentitySizeMax - 10)));
  EXPECT(isInvalid(labelled(kIdentitySizeMax - 9)));
}

TEST("ts is an integer token within 64 bits, or a text in ISO 8601") {
  const auto at = [](const std::string& ts) {
    return "{\"metric\":\"m\",\"value\":1,\"ts\":" + ts + "}";
  };
  for (const char* good : {"0", "-0", "-5", "9223372036854775807", "-9223372036854775808"}) {
    EXPECT(isGood(at(good)));
  }
  for (const char* bad : {"1.0", "1e3", "\"1\"", "9223372036854775808", "-9223372036854775809",
                          "true", "[1]", "\"\"", "\"now\"", "\"2026-02-30\"", "\"2026-11-28T01\"",
                          "\"2026-11-28T01:00Zz\"", "\" 2026-11-28\""}) {
    EXPECT(isInvalid(at(bad)));
  }
  EXPECT(isNotJson(at("01")));
}

TEST("an ISO 8601 ts is cut to the database's unit, whatever the precision") {
  const std::pair<const char*, Timestamp> cases[] = {
      {"2026-11-28T01:00:00Z", 1795827600000},      {"2026-11-28 01:00", 1795827600000},
      {"2026-11-28T02:00:00+01:00", 1795827600000}, {"2026-11-28", 1795824000000},
      {"2026-11-28T01:00:00.2509", 1795827600250},  {"1969-12-31T23:59:59.9999Z", -1},
      {"2026-11-28T01\\u003a00Z", 1795827600000}};
  Fixture fixture;
  IngestOptions options;
  options.conversion = {1000, 1};
  for (const auto& [text, ts] : cases) {
    const auto one = "{\"metric\":\"m\",\"ts\":\"" + std::string(text) + "\",\"value\":1}\n";
    for (const auto& outcome :
         {fixture.parse(one + one, options), fixture.parseSlowly(one, options)}) {
      const auto count = outcome.staged.ts.size();
      REQUIRE(outcome.code == kOk && count > 0);
      EXPECT(outcome.staged.ts[0] == ts && outcome.staged.ts[count - 1] == ts);
    }
  }
  options.nanosPerUnit = 1;
  const auto late = R"({"metric":"m","ts":"9999-01-01","value":1})";
  EXPECT(fixture.codeOf(late, options) == kInvalidRecord);
  options.nanosPerUnit = 1'000'000;
  options.tsMax = 1795827600000;
  EXPECT(fixture.codeOf(R"({"metric":"m","ts":"2026-11-28T01:00","value":1})", options) == kOk);
  EXPECT(fixture.codeOf(R"({"metric":"m","ts":"2026-11-28T01:00:00.001","value":1})", options) ==
         kInvalidRecord);
}

TEST("all lines of a request without ts get the same arrival time") {
  Fixture fixture;
  IngestOptions options;
  const std::string text = "{\"metric\":\"m\",\"value\":1}\n{\"series\":\"s\",\"value\":2}\n";
  for (const std::int64_t now : {1700000000, 1700000001}) {
    options.now = now;
    options.conversion = {1000, 1};
    const auto outcome = fixture.parse(text, options);
    REQUIRE(outcome.code == kOk && outcome.staged.ts.size() == 2);
    EXPECT(outcome.staged.ts[0] == now * 1000 && outcome.staged.ts[1] == now * 1000);
  }
}

TEST("the last of duplicate keys wins: at the top, in labels, in fields") {
  auto outcome = Fixture().parse(line("\"ts\":\"x\",\"ts\":5,\"value\":1,\"value\":2"));
  REQUIRE(outcome.code == kOk && outcome.staged.ts.size() == 1);
  EXPECT(outcome.staged.ts[0] == 5 && outcome.staged.values[0] == 2);
  const auto series = seriesOf(line("\"value\":1,\"labels\":{\"a\":{},\"b\":\"x\",\"a\":\"y\"}"));
  EXPECT(series.labels.size() == 2 && series.labels[0].second == "y");
  EXPECT(seriesOf(line("\"value\":1,\"labels\":{\"a\":\"b\"},\"labels\":{}")).labels.empty());
  outcome = Fixture().parse(line("\"fields\":{\"a\":null,\"b\":1,\"a\":3}"));
  EXPECT(outcome.code == kOk && sameBits(outcome.staged.values, {1, 3}));
  EXPECT(isInvalid(line("\"fields\":{\"a\":1},\"fields\":null")));
  outcome = Fixture().parse(line("\"fields\":{\"a\":1},\"fields\":null,\"value\":7"));
  EXPECT(outcome.code == kOk && sameBits(outcome.staged.values, {7}));
}

TEST("unknown keys are ignored, but the line must be JSON throughout") {
  EXPECT(isGood(line("\"value\":1,\"x\":{\"y\":[1,\"a\",null,true,1e309]}")));
  EXPECT(isNotJson(line("\"value\":1,\"x\":{\"y\":[1,}")));
  EXPECT(isNotJson(line("\"value\":1,\"x\":tru")));
  EXPECT(isNotJson(line("\"value\":1,\"x\":01")));
  EXPECT(isNotJson(line("\"value\":1,\"x\":\"\\q\"")));
  EXPECT(isNotJson(line("\"value\":1,\"x\":\"\x80\"")));
  EXPECT(isNotJson(line("\"value\":1,\"x\":\"\\ud800\"")));
  EXPECT(isNotJson(line("\"value\":1,\"x\":\"a\tb\"")));
}

TEST("JSON is nested 8 levels at most") {
  const auto nested = [](std::size_t depth) {
    return line("\"value\":1,\"x\":" + std::string(depth, '[') + std::string(depth, ']'));
  };
  EXPECT(isGood(nested(7)));
  EXPECT(isInvalid(nested(8)));
  EXPECT(isInvalid(nested(20'000)));
}

TEST("malformed JSON is invalid_json; a JSON value without a record is invalid_record") {
  for (const char* bad : {"{",
                          "}",
                          "{}}",
                          "{},",
                          "{} {}",
                          "{\"a\"}",
                          "{\"a\":}",
                          "{\"a\":1,}",
                          "{a:1}",
                          "{'a':1}",
                          "x",
                          "1 2",
                          "1,2",
                          "1]",
                          "]",
                          "[1",
                          "[1],[2]",
                          "nul",
                          "\"a",
                          "01",
                          " \xef\xbb\xbf{}",
                          "{\"a\":1 \"b\":2}",
                          "{\"a\":1,,\"b\":2}",
                          "{,}",
                          "[1}",
                          "{\"a\" 1}",
                          "{\"a\":\"b\"c}",
                          "{\"a\":1x}",
                          "{\"a\":truex}",
                          "{1:2}",
                          "\f{}",
                          "{\"a\":\v1}"}) {
    EXPECT(isNotJson(bad));
    if (!isNotJson(bad))
      std::printf("      %s -> %s\n", bad, std::string(statusName(codeOf(bad))).c_str());
  }
  for (const char* other :
       {"[]", "[{}]", "1", "-1.5e3", "\"a\"", "null", "true", " false ", "{}"}) {
    EXPECT(isInvalid(other));
  }
}

TEST("a value that overflows a double is refused, also by the frame cache; -0 is kept") {
  Fixture fixture;
  fixture.ingest(line("\"value\":1"));
  const auto outcome = fixture.parse(line("\"value\":1") + "\n" + line("\"value\":-0.0") + "\n" +
                                     line("\"value\":1e-999") + "\n");
  EXPECT(outcome.code == kOk && sameBits(outcome.staged.values, {1, -0.0, 0}));
  const auto bad = fixture.parse(line("\"value\":1") + "\n" + line("\"value\":1e309"));
  EXPECT(bad.code == kInvalidRecord && bad.message.starts_with("line 2: "));
  EXPECT(isInvalid(line("\"fields\":{\"a\":-1e999}")));
}

TEST("a legacy line has tags, a value or a first numeric field, and no descriptor") {
  auto outcome = Fixture().parse(
      "{\"series\":\"s\",\"ts\":1,\"kind\":\"odd\",\"tags\":{\"a\":1},"
      "\"fields\":{\"x\":\"text\",\"y\":4,\"z\":5}}");
  REQUIRE(outcome.code == kOk && outcome.staged.pendingSeries.size() == 1);
  EXPECT(outcome.staged.pendingSeries[0].name == "s" && outcome.staged.legacyLineCount == 1);
  EXPECT(outcome.staged.pendingSeries[0].labels[0].second == "1");
  EXPECT(sameBits(outcome.staged.values, {4}) && outcome.staged.pendingDescriptors.empty());
  outcome = Fixture().parse("{\"series\":\"s\",\"ts\":1,\"fields\":{\"x\":4},\"value\":9}");
  EXPECT(outcome.code == kOk && sameBits(outcome.staged.values, {9}));
  EXPECT(isInvalid("{\"series\":\"s\",\"ts\":1}"));
  EXPECT(isInvalid("{\"series\":\"s\",\"ts\":1,\"fields\":{\"x\":\"1\"}}"));
  EXPECT(isInvalid("{\"series\":\"s\",\"ts\":1,\"value\":\"1\"}"));
}

TEST("a line with metric and series is telemetry; without both it is invalid") {
  const auto outcome = Fixture().parse(
      "{\"series\":\"s\",\"metric\":\"m\",\"ts\":1,\"value\":1,\"tags\":{\"a\":\"b\"}}");
  REQUIRE(outcome.code == kOk && outcome.staged.pendingSeries.size() == 1);
  EXPECT(outcome.staged.pendingSeries[0].name == "m" && outcome.staged.legacyLineCount == 0);
  EXPECT(outcome.staged.pendingSeries[0].labels.empty());
  EXPECT(isInvalid("{\"ts\":1,\"value\":1}"));
}

TEST("telemetry lines may use `tags` and legacy lines `labels`, but not both with content") {
  auto outcome = Fixture().parse(
      "{\"metric\":\"m\",\"ts\":1,\"value\":1,\"tags\":{\"a\":\"b\"}}\n"
      "{\"metric\":\"m\",\"ts\":2,\"value\":1,\"labels\":{\"a\":\"b\"},\"tags\":{}}\n"
      "{\"series\":\"m\",\"ts\":3,\"value\":1,\"labels\":{\"a\":\"b\"},\"tags\":null}");
  REQUIRE(outcome.code == kOk && outcome.staged.pendingSeries.size() == 1);
  REQUIRE(outcome.staged.pendingSeries[0].labels.size() == 1);
  EXPECT(outcome.staged.pendingSeries[0].labels[0].second == "b");
  EXPECT(isInvalid(line("\"value\":1,\"labels\":{\"a\":\"b\"},\"tags\":{\"c\":\"d\"}")));
  EXPECT(isInvalid("{\"series\":\"s\",\"ts\":1,\"value\":1,\"labels\":7}"));
}

TEST("a time under another name is refused without ts, and ignored beside ts") {
  for (const char* name : {"timestamp", "time", "@timestamp", "_time", "Date", "DateTime"}) {
    const std::string member = std::string("\"") + name + "\":1700000000000";
    const auto outcome = Fixture().parse("{\"metric\":\"m\",\"value\":1," + member + "}");
    EXPECT(outcome.code == kInvalidRecord);
    EXPECT(outcome.message.find(std::string("\"") + name + "\"") != std::string::npos);
    EXPECT(Fixture().parse(line("\"value\":1," + member)).code == kOk);
  }
  EXPECT(Fixture().parse("{\"metric\":\"m\",\"value\":1,\"time\":null}").code == kOk);
  EXPECT(Fixture().parse("{\"metric\":\"m\",\"value\":1,\"times\":1}").code == kOk);
  EXPECT(Fixture().parse("{\"metric\":\"m\",\"value\":1,\"labels\":{\"time\":1}}").code == kOk);
}

TEST("telemetry and legacy lines with the same name and labels are one series") {
  const auto outcome = Fixture().parse(
      "{\"metric\":\"m\",\"ts\":1,\"value\":1,\"labels\":{\"a\":\"1\",\"b\":\"2\"}}\n"
      "{\"series\":\"m\",\"ts\":2,\"value\":1,\"tags\":{\"b\":2,\"\\u0061\":1}}\r\n");
  EXPECT(outcome.code == kOk && outcome.staged.pendingSeries.size() == 1);
  EXPECT((outcome.staged.refs == std::vector<SeriesRef>{kPendingBit, kPendingBit}));
}

TEST("a descriptor is set on the base metric and each sibling, each part once") {
  const auto outcome = Fixture().parse(
      line("\"value\":1,\"fields\":{\"a\":1},\"kind\":\"counter\"") + "\n" +
      line("\"value\":1,\"unit\":\"s\",\"kind\":\"counter\",\"description\":\"d\""));
  REQUIRE(outcome.code == kOk && outcome.staged.pendingDescriptors.size() == 2);
  const auto& base = outcome.staged.pendingDescriptors[0];
  EXPECT(base.metric == "m" && base.descriptor.kind == "counter" && base.descriptor.unit == "s");
  EXPECT(base.descriptor.description == "d");
  const auto& sibling = outcome.staged.pendingDescriptors[1];
  EXPECT(sibling.metric == "m.a" && sibling.descriptor.kind == "counter" &&
         !sibling.descriptor.unit);
  EXPECT(isInvalid(line("\"value\":1,\"kind\":\"histogram\"")));
  EXPECT(isInvalid(line("\"value\":1,\"kind\":1")));
  EXPECT(isInvalid(line("\"value\":1,\"unit\":1")));
  EXPECT(isInvalid(line("\"value\":1,\"description\":[]")));
}

TEST("a different descriptor is a conflict, within the request and with the index") {
  Fixture fixture;
  const auto gauge = line("\"value\":1,\"kind\":\"gauge\"");
  const auto counter = line("\"value\":1,\"kind\":\"counter\"");
  auto outcome = fixture.parse(gauge + "\n" + counter);
  EXPECT(outcome.code == kDescriptorConflict && outcome.message.starts_with("line 2: "));
  fixture.ingest(gauge);
  EXPECT(fixture.codeOf(gauge + "\n" + gauge) == kOk);
  EXPECT(fixture.parse(gauge).staged.pendingDescriptors.empty());
  outcome = fixture.parse(gauge + "\n" + counter);
  EXPECT(outcome.code == kDescriptorConflict && outcome.message.starts_with("line 2: "));
  EXPECT(fixture.codeOf(line("\"fields\":{\"a\":1},\"kind\":\"counter\"")) == kOk);
}

TEST("a failed request does not mark its descriptors as known in the cache") {
  Fixture fixture;
  fixture.ingest(line("\"value\":1"));
  const auto described = line("\"value\":1,\"unit\":\"s\"");
  EXPECT(fixture.codeOf(described + "\n" + described + "\nx") == kInvalidJson);
  EXPECT(fixture.parse(described).staged.pendingDescriptors.size() == 1);
}

TEST("an arriving ts is converted, rounded down, and checked for overflow and the future") {
  Fixture fixture;
  fixture.ingest(line("\"value\":1"));
  const auto at = [&](const std::string& ts, const IngestOptions& options) {
    const auto text = "{\"metric\":\"m\",\"ts\":" + ts + ",\"value\":1}";
    return fixture.parse(text + "\n" + text + "\n", options);
  };
  IngestOptions divide;
  divide.conversion.divide = 1000;
  EXPECT(at("-1", divide).staged.ts[1] == -1 && at("-1000", divide).staged.ts[1] == -1);
  EXPECT(at("-1001", divide).staged.ts[1] == -2 && at("1999", divide).staged.ts[1] == 1);
  IngestOptions multiply;
  multiply.conversion.multiply = 1000;
  EXPECT(at("9223372036854775", multiply).staged.ts[1] == 9223372036854775000);
  EXPECT(at("9223372036854776", multiply).code == kInvalidRecord);
  IngestOptions future;
  future.tsMax = 100;
  EXPECT(at("100", future).code == kOk && at("101", future).code == kInvalidRecord);
}

}  // namespace
