// A JSON request means the same as its protobuf form, however it is split.
#include "ingest/otlp/json_parser.h"

#include "harness.h"
#include "ingest/otlp/json_writer.h"
#include "ingest/otlp/otlp_parser.h"
#include "ingest/otlp/request_maker.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

using Rows = std::vector<std::string>;

IngestOptions lenient() {
  IngestOptions options;
  options.isLenient = true;
  options.conversion = {1, 1'000'000};
  options.otlp.resourceLabels = {"os"};
  return options;
}

std::string requestWith(const std::string& metric) {
  return "{\"resourceMetrics\":[{\"scopeMetrics\":[{\"metrics\":[" + metric + "]}]}]}";
}

std::string gaugeWith(const std::string& point) {
  return requestWith("{\"name\":\"m\",\"gauge\":{\"dataPoints\":[" + point + "]}}");
}

Rows rowsIn(const std::string& body) {
  Fixture fixture{makeOtlpJsonParser};
  const Outcome outcome = fixture.parse(body, lenient());
  if (outcome.code != StatusCode::kOk) return {outcome.message};
  return rowsOf(fixture, outcome.staged);
}

std::string errorIn(const std::string& body) {
  Fixture fixture{makeOtlpJsonParser};
  const Outcome outcome = fixture.parse(body, lenient());
  for (std::size_t size = 1; size < 8; ++size) {
    EXPECT(sameOutcome(fixture.parseIn(size, body, lenient()), outcome));
  }
  EXPECT(outcome.code == StatusCode::kInvalidJson || outcome.code == StatusCode::kInvalidRecord);
  return outcome.message;
}

bool tells(const std::string& error, std::string_view part) {
  const bool isTold = error.find(part) != std::string::npos;
  if (!isTold) std::printf("not told: %s\nbut: %s\n", std::string(part).c_str(), error.c_str());
  return isTold;
}

}  // namespace

TEST("a JSON request gives the same rows as in protobuf, cached or not, however it is cut") {
  std::mt19937_64 random(seed());
  Fixture fixture{makeOtlpJsonParser};
  for (int round = 0; round < rounds(200); ++round) {
    const RandomRequest request = RequestMaker(random).make();
    const std::string body = otlpJsonOf(otlpRequest(request.resources));
    IngestOptions options = lenient();
    options.otlp.resourceLabels.clear();
    for (int again = 0; again < 2; ++again) {
      const Outcome outcome = fixture.parse(body, options);
      REQUIRE(outcome.code == StatusCode::kOk);
      REQUIRE(rowsOf(fixture, outcome.staged) == request.rows);
      EXPECT(rejectedCountOf(outcome.staged.rejected) == request.rejected);
      const std::size_t size = 1 + random() % 40;
      EXPECT(sameOutcome(fixture.parseIn(size, body, options), outcome));
      EXPECT(sameOutcome(
          parseInSteps(*fixture.state, body, options, size, makeOtlpJsonParser).outcome, outcome));
      fixture.commit(outcome);
    }
  }
}

TEST("mutated JSON gives the same result cached or not, however it is cut") {
  std::mt19937_64 random(seed() + 1);
  for (int round = 0; round < rounds(60); ++round) {
    Fixture fixture{makeOtlpJsonParser};
    const std::string body = otlpJsonOf(otlpRequest(RequestMaker(random).make().resources));
    fixture.commit(fixture.parseSlowly(body, lenient()));
    for (int change = 0; change < 20; ++change) {
      std::string changed = body;
      mutateBytes(random, changed);
      const Outcome expected = fixture.parseSlowly(changed, lenient());
      EXPECT(sameOutcome(fixture.parse(changed, lenient()), expected));
      EXPECT(sameOutcome(fixture.parseIn(1 + random() % 30, changed, lenient()), expected));
    }
  }
}

TEST("OTLP JSON follows the JSON mapping of proto3") {
  const Rows one{"m{} 5 2"};
  for (const char* const point : {
           R"({"timeUnixNano":"5000000","asInt":"2"})",
           R"({"timeUnixNano":5000000,"asInt":2})",
           R"({"time_unix_nano":5e6,"as_int":2.0,"asDouble":null})",
           R"({"asDouble":"2","timeUnixNano":"5000000","later":[{"a":[1,null,"x"]},{}]})",
           R"({"asDouble":2e0,"timeUnixNano":"5000000","exemplars":null,"attributes":[]})",
           R"({"a\u0073Int" : "+2", "timeUnixNano":"5000000"})",
       }) {
    EXPECT(rowsIn(gaugeWith(point)) == one);
  }
  EXPECT(rowsIn("\xEF\xBB\xBF {} \n").empty());
  EXPECT(rowsIn("{\"resource_metrics\":null,\"x\":{\"resourceMetrics\":[5]}}").empty());
  const auto value = [](const std::string& text) {
    return rowsIn(gaugeWith("{\"timeUnixNano\":\"5000000\"," + text + "}")).front();
  };
  EXPECT(value(R"("asInt":"-9223372036854775808")") == "m{} 5 -9223372036854776000");
  EXPECT(value(R"("asDouble":"NaN")") == "m{} 5 9221120237041090560");
  EXPECT(value(R"("asDouble":"-Infinity")") == "m{} 5 18442240474082181120");
  const auto label = [&value](const std::string& text) {
    return value("\"asInt\":2,\"attributes\":[{\"key\":\"a\",\"value\":" + text + "}]");
  };
  EXPECT(label(R"({"stringValue":"\u00e9\ud83d\ude00\n\"\\\/"})") ==
         "m{a=\xC3\xA9\xF0\x9F\x98\x80\n\"\\/} 5 2");
  EXPECT(label(R"({"boolValue":true})") == "m{a=true} 5 2");
  EXPECT(label(R"({"intValue":"-7"})") == "m{a=-7} 5 2");
  EXPECT(label(R"({"bytesValue":"-_8"})") == "m{a=+/8=} 5 2");
  EXPECT(label(R"({"arrayValue":{"values":[{"intValue":1},{},{"stringValue":"x"}]}})") ==
         "m{a=[1,null,\"x\"]} 5 2");
  EXPECT(label(R"({"kvlistValue":{"values":[{"key":"k","value":{"doubleValue":0.5}}]}})") ==
         "m{a={\"k\":0.5}} 5 2");
  EXPECT(label("null") == "m{} 5 2");
}

TEST("sums, histograms and summaries in JSON are stored as from protobuf, with zeros") {
  const auto metric = [](const std::string& data) {
    return rowsIn(requestWith("{\"name\":\"m\"," + data + "}"));
  };
  const std::string sum =
      R"("sum":{"aggregationTemporality":"AGGREGATION_TEMPORALITY_CUMULATIVE",)"
      R"("isMonotonic":true,"dataPoints":[{"timeUnixNano":"1000000","asInt":0}]})";
  EXPECT(metric(sum) == Rows{"m{} 1 0"});
  const std::string histogram =
      R"("histogram":{"dataPoints":[{"timeUnixNano":"1000000","count":"3","sum":0,)"
      R"("bucketCounts":["1",2],"explicitBounds":[0.5],"flags":0}],"aggregationTemporality":2})";
  EXPECT((metric(histogram) ==
          Rows{"m_bucket{le=0.5} 1 1", "m_bucket{le=+Inf} 1 3", "m_count{} 1 3", "m_sum{} 1 0"}));
  const std::string summary =
      R"("summary":{"dataPoints":[{"timeUnixNano":"1000000","count":1,"sum":4,)"
      R"("quantileValues":[{"quantile":0.5,"value":4}]}]})";
  EXPECT((metric(summary) == Rows{"m{quantile=0.5} 1 4", "m_count{} 1 1", "m_sum{} 1 4"}));
  const std::string stale = R"("gauge":{"dataPoints":[{"timeUnixNano":"1000000","flags":1}]})";
  EXPECT(metric(stale) == Rows{"m{} 1 stale"});
}

TEST("malformed JSON is refused with the reason, however it is cut") {
  EXPECT(tells(errorIn(""), "cut short"));
  EXPECT(tells(errorIn("{\"a\":tru"), "cut short"));
  EXPECT(tells(errorIn("[]"), "not a JSON object"));
  EXPECT(tells(errorIn("5 "), "not a JSON object"));
  EXPECT(tells(errorIn("\xEF{}"), "unexpected `{`"));
  EXPECT(tells(errorIn("{}{"), "unexpected `{`"));
  for (const char* const body : {"{,}",
                                 "{\"a\"}",
                                 "{\"a\":}",
                                 "{\"a\":1,}",
                                 "{\"a\":[1,]}",
                                 "{\"a\":[1 2]}",
                                 "{\"a\":1]",
                                 "{\"a\":nul}",
                                 "{\"a\":01}",
                                 "{\"a\":1.}",
                                 "{\"a\":-}",
                                 "{\"a\":1e}",
                                 "{\"a\":\"\n\"}",
                                 "{\"a\":\"\\x\"}",
                                 "{\"a\":\"\\u12g4\"}",
                                 "{\"a\":\"\\ud800\"}",
                                 "{\"a\":\"\\ud800x\"}",
                                 "{\"a\":\"\\udc00\"}",
                                 "{a:1}",
                                 "{\"a\":'b'}",
                                 "{\"a\":trues}",
                                 "{} \xEF\xBB\xBF"}) {
    EXPECT(tells(errorIn(body), "the body is not JSON"));
  }
  for (const char* const text : {"\xff", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80",
                                 "\xf5\x80\x80\x80", "\xc3", "\xc3\\n"}) {
    EXPECT(tells(errorIn("{\"a\":\"" + std::string(text) + "\"}"), "not UTF-8"));
  }
  const std::string deep(129, '[');
  EXPECT(tells(errorIn("{\"a\":" + deep), "nests more than 128 levels"));
  EXPECT(tells(errorIn("{\"a\":" + std::string(2000, '1') + "}"), "more than 1024 characters"));
}

TEST("JSON with a wrong field is refused with the name of the field") {
  const std::string time = R"({"timeUnixNano":"1000000",)";
  EXPECT(tells(errorIn("{\"resourceMetrics\":{}}"), "resourceMetrics: must be a list"));
  EXPECT(tells(errorIn("{\"resourceMetrics\":[5]}"), "resourceMetrics: expected an object"));
  EXPECT(tells(errorIn("{\"resourceMetrics\":[null]}"), "resourceMetrics: null in a list"));
  EXPECT(tells(errorIn("{\"resourceMetrics\":[[]]}"), "resourceMetrics: expected an object"));
  EXPECT(tells(errorIn(gaugeWith(time + "\"asDouble\":\"many\"}")), "NumberDataPoint.asDouble"));
  EXPECT(tells(errorIn(gaugeWith(time + "\"asDouble\":1e999}")), "NumberDataPoint.asDouble"));
  EXPECT(tells(errorIn(gaugeWith(time + "\"asDouble\":true}")), "NumberDataPoint.asDouble"));
  EXPECT(tells(errorIn(gaugeWith(time + "\"asInt\":1.5}")), "NumberDataPoint.asInt"));
  EXPECT(tells(errorIn(gaugeWith(time + "\"asInt\":\" 1\"}")), "NumberDataPoint.asInt"));
  EXPECT(tells(errorIn(gaugeWith(time + "\"asInt\":9223372036854775808}")), "asInt"));
  EXPECT(tells(errorIn(gaugeWith(time + "\"asInt\":1,\"asDouble\":1}")), "oneof"));
  EXPECT(tells(errorIn(gaugeWith(time + "\"flags\":4294967296}")), "flags"));
  EXPECT(tells(errorIn(gaugeWith(time + "\"time_unix_nano\":1}")), "duplicate field"));
  EXPECT(tells(errorIn(gaugeWith("{\"timeUnixNano\":\"-1\"}")), "timeUnixNano"));
  EXPECT(tells(errorIn(gaugeWith("{\"timeUnixNano\":18446744073709551616}")), "timeUnixNano"));
  EXPECT(tells(errorIn(requestWith("{\"name\":5}")), "Metric.name: expected a string"));
  EXPECT(tells(errorIn(requestWith("{\"gauge\":{},\"sum\":{}}")), "oneof"));
  const std::string bytes = R"({"attributes":[{"value":{"bytesValue":"a"}}]})";
  EXPECT(tells(errorIn(gaugeWith(bytes)), "AnyValue.bytesValue: expected a base64 string"));
}

TEST("a JSON body has a size limit, and an earlier error is reported first") {
  Fixture fixture{makeOtlpJsonParser};
  IngestOptions options = lenient();
  options.limits.bodySizeMax = 100;
  const std::string blanks(101, ' ');
  for (const std::size_t size : {std::size_t{1}, std::size_t{1000}}) {
    EXPECT(fixture.parseIn(size, blanks, options).code == StatusCode::kPayloadTooLarge);
  }
  options = {};
  const std::string first =
      "{\"scopeMetrics\":[{\"metrics\":[{\"name\":\"m\",\"gauge\":"
      "{\"dataPoints\":[{}]}}]}]}";
  const std::string body = "{\"resourceMetrics\":[" + first + ",5]}";
  for (const std::size_t size : {std::size_t{1}, std::size_t{1000}}) {
    const Outcome outcome = fixture.parseIn(size, body, options);
    EXPECT(outcome.code == StatusCode::kInvalidRecord);
    EXPECT(tells(outcome.message, "{__name__=\"m\"}"));
  }
}

TEST("a point with a text past the message limit is rejected alone") {
  const std::string text(std::size_t{2} << 20, 'x');
  const std::string point = R"({"timeUnixNano":"1000000","asInt":1,"attributes":[{"key":"a",)"
                            R"("value":{"stringValue":")" +
                            text + "\"}}]}";
  Fixture fixture{makeOtlpJsonParser};
  const Outcome outcome = fixture.parse(gaugeWith(point), lenient());
  REQUIRE(outcome.code == StatusCode::kOk && outcome.staged.rejected.size() == 1);
  EXPECT(tells(outcome.staged.rejected[0].error, "more than 1048576 bytes"));
}

TEST("attributes of a resource in JSON count as memory before the resource ends") {
  Fixture fixture{makeOtlpJsonParser};
  const auto parser = makeOtlpJsonParser(*fixture.state, {});
  std::string body = "{\"resourceMetrics\":[{\"resource\":{\"attributes\":[";
  for (int i = 0; i < 10'000; ++i) body += "{\"key\":\"a\"},";
  REQUIRE(parser->write(asBytes(body)).ok());
  EXPECT(parser->memoryBytes() >= body.size() / 2);
}
