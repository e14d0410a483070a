// The meaning of OpenTelemetry metrics: names and labels, series of histograms and summaries,
// unsupported data, and resource attributes.
#include <cmath>
#include <limits>

#include "harness.h"
#include "index/index_holder.h"
#include "ingest/otlp/otlp_parser.h"
#include "ingest/otlp/request_writer.h"
#include "ingest/staged_rows.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

using Rows = std::vector<std::string>;
constexpr std::uint64_t kTime = 1'700'000'000'000'000'000;

IngestOptions options(const OtlpRules& rules = {}) {
  IngestOptions options;
  options.isLenient = true;
  options.conversion = {1, 1'000'000'000};
  options.otlp = rules;
  return options;
}

Outcome parse(const std::string& body, const IngestOptions& with = options()) {
  Fixture fixture{makeOtlpParser};
  return fixture.parse(body, with);
}

Rows rows(const std::string& body, const IngestOptions& with = options()) {
  Fixture fixture{makeOtlpParser};
  const Outcome outcome = fixture.parse(body, with);
  EXPECT(outcome.code == StatusCode::kOk);
  EXPECT(outcome.staged.rejected.empty());
  return rowsOf(fixture, outcome.staged);
}

// The error of the only point.
std::string errorOf(const MetricText& metric, const IngestOptions& with = options()) {
  const auto outcome = parse(otlpRequest({{{}, {metric}}}), with);
  EXPECT(outcome.code == StatusCode::kOk);
  EXPECT(outcome.staged.refs.empty() && outcome.staged.pendingSeries.empty());
  if (outcome.staged.rejected.size() != 1) return "it was not rejected";
  EXPECT(outcome.staged.rejected[0].count == 1);
  return outcome.staged.rejected[0].error;
}

MetricText gauge(const Attributes& attributes, double value = 1, const char* name = "m") {
  return {name, 5, {numberMessage({attributes, kTime, value})}};
}

MetricText gaugeOf(const MessageWriter& attribute) {
  MessageWriter point = numberMessage({{}, kTime, 1.0});
  point.addMessage(7, attribute);
  return {"m", 5, {point}};
}

MessageWriter staleHistogram() {
  MessageWriter point;
  addFixed64(point, 3, kTime);
  point.addVarint(10, 1);
  return point;
}

MessageWriter quantile(double quantile, double value) {
  MessageWriter message;
  message.addDouble(1, quantile);
  message.addDouble(2, value);
  return message;
}

std::string labelTextOf(const MessageWriter& value) {
  const Rows all = rows(otlpRequest({{{}, {gaugeOf(attributeMessage("a", value))}}}));
  const auto from = all.at(0).find('{') + 1;
  return all.at(0).substr(from, all.at(0).rfind('}') - from);
}

std::string kindOf(const Outcome& outcome, std::string_view metric) {
  for (const auto& pending : outcome.staged.pendingDescriptors) {
    if (pending.metric == metric) return pending.descriptor.kind.value_or("untold");
  }
  return "none";
}

}  // namespace

TEST("gauges and sums become series with their attributes as labels") {
  MetricText sum{"requests", 7, {numberMessage({{{"path", "/a"}}, kTime, std::int64_t{7}})}};
  sum.isMonotonic = true;
  MetricText up{"queue", 7, {numberMessage({{}, kTime + 999'999'999, -2.5})}};
  EXPECT((rows(otlpRequest({{{}, {gauge({{"b", "2"}, {"a", "1"}, {"c", ""}}), sum, up}}})) ==
          Rows{"m{a=1,b=2} 1700000000 1", "requests{path=/a} 1700000000 7",
               "queue{} 1700000000 -2.5"}));
}

TEST("kind, unit and description are stored once, and a later difference is counted") {
  MetricText sum{"requests", 7, {numberMessage({{}, kTime, 1.0})}};
  sum.isMonotonic = true;
  sum.unit = "{request}";
  MetricText count = sum;
  count.name = "open";
  count.isMonotonic = false;
  MetricText again = gauge({}, 1, "requests");
  const auto outcome = parse(otlpRequest({{{}, {sum, count, again}}}));
  EXPECT(kindOf(outcome, "requests") == "counter");
  EXPECT(kindOf(outcome, "requests_total") == "none");
  EXPECT(kindOf(outcome, "open") == "gauge");
  EXPECT(outcome.staged.keepsFirstDescriptors);
  EXPECT(outcome.staged.skipped[static_cast<std::size_t>(SkipReason::kMetadataConflict)] == 1);
}

TEST("a histogram is stored as cumulative buckets, a count and an optional sum") {
  const HistogramPoint point{{{"a", "1"}}, kTime, {0.005, 1, 2.5e20}, {1, 2, 3, 4}, 12.5};
  HistogramPoint bare = point;
  bare.sum.reset();
  const MetricText metric{"h", 9, {histogramMessage(point), histogramMessage(bare)}};
  EXPECT((rows(otlpRequest({{{}, {metric}}})) ==
          Rows{"h_bucket{a=1,le=0.005} 1700000000 1", "h_bucket{a=1,le=1} 1700000000 3",
               "h_bucket{a=1,le=250000000000000000000} 1700000000 6",
               "h_bucket{a=1,le=+Inf} 1700000000 10", "h_count{a=1} 1700000000 10",
               "h_sum{a=1} 1700000000 12.5", "h_bucket{a=1,le=0.005} 1700000000 1",
               "h_bucket{a=1,le=1} 1700000000 3",
               "h_bucket{a=1,le=250000000000000000000} 1700000000 6",
               "h_bucket{a=1,le=+Inf} 1700000000 10", "h_count{a=1} 1700000000 10"}));
  const auto outcome = parse(otlpRequest({{{}, {metric}}}));
  EXPECT(kindOf(outcome, "h") == "histogram" && kindOf(outcome, "h_bucket") == "counter");
}

TEST("unpacked bucket counts are read, and a histogram without buckets stores its count") {
  MessageWriter point;
  addFixed64(point, 3, kTime);
  addFixed64(point, 4, 5);
  addFixed64(point, 6, 2);
  addFixed64(point, 6, 3);
  point.addDouble(7, 10);
  MessageWriter bare;
  addFixed64(bare, 3, kTime);
  addFixed64(bare, 4, 5);
  EXPECT(
      (rows(otlpRequest({{{}, {{"h", 9, {point, bare}}}}})) ==
       Rows{"h_bucket{le=10} 1700000000 2", "h_bucket{le=+Inf} 1700000000 5",
            "h_count{} 1700000000 5", "h_bucket{le=+Inf} 1700000000 5", "h_count{} 1700000000 5"}));
}

TEST("an exponential histogram stores only count and sum, and is counted as skipped") {
  MessageWriter point;
  point.addMessage(1, attributeMessage("a", textValue("1")));
  addFixed64(point, 3, kTime);
  addFixed64(point, 4, 9);
  point.addDouble(5, 2.5);
  point.addVarint(6, 3);
  const auto body = otlpRequest({{{}, {{"h", 10, {point}}}}});
  EXPECT((rows(body) == Rows{"h_count{a=1} 1700000000 9", "h_sum{a=1} 1700000000 2.5"}));
  const auto skipped = parse(body).staged.skipped;
  EXPECT(skipped[static_cast<std::size_t>(SkipReason::kNativeHistogram)] == 1);
}

TEST("a summary is stored as quantiles, a count and a sum") {
  MessageWriter point;
  addFixed64(point, 3, kTime);
  addFixed64(point, 4, 9);
  point.addMessage(6, quantile(0.5, 3));
  point.addMessage(6, quantile(1, NAN));
  const auto body = otlpRequest({{{}, {{"s", 11, {point}}}}});
  EXPECT((rows(body) == Rows{"s{quantile=0.5} 1700000000 3",
                             "s{quantile=1} 1700000000 " +
                                 std::to_string(std::bit_cast<std::uint64_t>(double{NAN})),
                             "s_count{} 1700000000 9", "s_sum{} 1700000000 0"}));
  EXPECT(kindOf(parse(body), "s") == "summary");
}

TEST("a point without a recorded value stores stale markers in its series") {
  MessageWriter number;
  addFixed64(number, 3, kTime);
  number.addVarint(8, 1);
  EXPECT((rows(otlpRequest({{{}, {{"m", 5, {number}}, {"h", 9, {staleHistogram()}}}}})) ==
          Rows{"m{} 1700000000 stale", "h_bucket{le=+Inf} 1700000000 stale",
               "h_count{} 1700000000 stale"}));
}

TEST("attribute values of every type become text") {
  MessageWriter boolean;
  boolean.addVarint(2, 1);
  EXPECT(labelTextOf(boolean) == "a=true");
  MessageWriter integer;
  integer.addSigned(3, -42);
  EXPECT(labelTextOf(integer) == "a=-42");
  MessageWriter number;
  number.addDouble(4, 0.25);
  EXPECT(labelTextOf(number) == "a=0.25");
  MessageWriter infinite;
  infinite.addDouble(4, std::numeric_limits<double>::infinity());
  EXPECT(labelTextOf(infinite) == "a=+Inf");
  MessageWriter bytes;
  bytes.addText(7, "\x01\x02\x03\x04");
  EXPECT(labelTextOf(bytes) == "a=AQIDBA==");
  MessageWriter values;
  for (const auto& value : {textValue("x\"y"), integer, boolean, bytes, MessageWriter()}) {
    values.addMessage(1, value);
  }
  MessageWriter list;
  list.addMessage(5, values);
  EXPECT(labelTextOf(list) == R"(a=["x\"y",-42,true,"AQIDBA==",null])");
  MessageWriter members;
  members.addMessage(1, attributeMessage("k", number));
  members.addMessage(1, attributeMessage("l", list));
  MessageWriter map;
  map.addMessage(6, members);
  EXPECT(labelTextOf(map) == R"(a={"k":0.25,"l":["x\"y",-42,true,"AQIDBA==",null]})");
}

TEST("a resource gives job, instance, requested labels and target_info") {
  const ResourceText resource{{{"service.namespace", "shop"},
                               {"service.name", "api"},
                               {"service.instance.id", "i1"},
                               {"host.name", "h"},
                               {"region", "eu"}},
                              {gauge({{"region", "mine"}, {"job", "mine"}})}};
  OtlpRules rules;
  rules.resourceLabels = {"host.name", "region"};
  EXPECT((rows(otlpRequest({resource}), options(rules)) ==
          Rows{"m{host.name=h,instance=i1,job=shop/api,region=mine} 1700000000 1",
               "target_info{host.name=h,instance=i1,job=shop/api,region=eu} 1700000000 1"}));
  rules.resourceLabels = {"*"};
  EXPECT((rows(otlpRequest({resource}), options(rules))[0] ==
          "m{host.name=h,instance=i1,job=shop/api,region=mine,service.instance.id=i1,"
          "service.name=api,service.namespace=shop} 1700000000 1"));
  EXPECT(kindOf(parse(otlpRequest({resource})), "target_info") == "info");
}

TEST("target_info has the newest time, and needs a service name and another attribute") {
  ResourceText resource{{{"service.name", "api"}, {"a", "1"}}, {gauge({}), gauge({}, 2, "n")}};
  resource.metrics[1].points = {numberMessage({{}, kTime + 5'000'000'000, 1.0})};
  EXPECT(rows(otlpRequest({resource})).back() == "target_info{a=1,job=api} 1700000005 1");
  resource.attributes = {{"a", "1"}};
  EXPECT(rows(otlpRequest({resource})).size() == 2);
  resource.attributes = {{"service.name", "api"}};
  EXPECT(rows(otlpRequest({resource})).size() == 2);
  resource.attributes = {{"service.name", "api"}, {"a", "1"}};
  resource.metrics = {{"m", 7, {numberMessage({{}, kTime, 1.0})}, 1}};
  EXPECT(parse(otlpRequest({resource})).staged.refs.empty());
}

TEST("the scope becomes labels when requested") {
  MessageWriter scope;
  scope.addText(1, "lib");
  scope.addText(2, "1.2");
  scope.addMessage(3, attributeMessage("k", textValue("v")));
  MessageWriter metrics;
  metrics.addMessage(2, metricMessage(gauge({})));
  metrics.addMessage(1, scope);
  MessageWriter resource;
  resource.addMessage(2, metrics);
  MessageWriter request;
  request.addMessage(1, resource);
  const std::string body(asText(request.bytes()));
  EXPECT((rows(body) == Rows{"m{} 1700000000 1"}));
  OtlpRules rules;
  rules.labelsScope = true;
  EXPECT((rows(body, options(rules)) ==
          Rows{"m{otel_scope_k=v,otel_scope_name=lib,otel_scope_version=1.2} 1700000000 1"}));
}

TEST("a resource may follow its metrics") {
  MessageWriter scope;
  scope.addMessage(2, metricMessage(gauge({})));
  MessageWriter resource;
  addAttributes(resource, 1, {{"service.name", "late"}});
  MessageWriter message;
  message.addMessage(2, scope);
  message.addMessage(1, resource);
  MessageWriter request;
  request.addMessage(1, message);
  EXPECT((rows(std::string(asText(request.bytes()))) == Rows{"m{job=late} 1700000000 1"}));
}

TEST("a delta sum is refused, or stored as a gauge if allowed") {
  MetricText delta{"d", 7, {numberMessage({{}, kTime, 3.0})}, 1, true};
  EXPECT(errorOf(delta).find("CUMULATIVE") == std::string::npos);
  EXPECT(errorOf(delta).find("TEMPORALITY_PREFERENCE=cumulative") != std::string::npos);
  OtlpRules rules;
  rules.storesDelta = true;
  const auto body = otlpRequest({{{}, {delta}}});
  EXPECT((rows(body, options(rules)) == Rows{"d{} 1700000000 3"}));
  EXPECT(kindOf(parse(body, options(rules)), "d") == "gauge");
  delta.temporality = 0;
  EXPECT(errorOf(delta, options(rules)).find("is missing") != std::string::npos);
}

TEST("a last bound of +Inf is the same as the implied +Inf bucket") {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto rowsOf = [](std::vector<double> bounds, std::vector<std::uint64_t> counts) {
    const HistogramPoint point{{}, kTime, std::move(bounds), std::move(counts), {}};
    return rows(otlpRequest({{{}, {{"h", 9, {histogramMessage(point)}}}}}));
  };
  const Rows plain = rowsOf({1, 2}, {1, 2, 3});
  EXPECT(plain.size() == 4);
  EXPECT(rowsOf({1, 2, infinity}, {1, 2, 3}) == plain);
  EXPECT(rowsOf({1, 2, infinity}, {1, 2, 3, 0}) == plain);
}

TEST("points that cannot be stored are rejected one by one, with the reason") {
  EXPECT(errorOf(gauge({{"", "x"}})).find("a label key is empty") != std::string::npos);
  EXPECT(errorOf(gauge({{"__name__", "x"}})).find("occurs twice") != std::string::npos);
  EXPECT(errorOf(gauge({{"a", "\xff"}})).find("not UTF-8") != std::string::npos);
  EXPECT(errorOf(gauge({{"a", "1"}, {"a", "2"}})).find("occurs twice") != std::string::npos);
  EXPECT(errorOf({"", 5, {numberMessage({{}, kTime, 1.0})}}) != "it was not rejected");
  EXPECT(errorOf({"m", 5, {numberMessage({{}, 0, 1.0})}}).find("no time") != std::string::npos);
  EXPECT(errorOf({"m", 5, {numberMessage({{}, UINT64_MAX, 1.0})}}).find("does not fit") !=
         std::string::npos);
  MessageWriter empty;
  addFixed64(empty, 3, kTime);
  EXPECT(errorOf({"m", 5, {empty}}).find("no value") != std::string::npos);
  const HistogramPoint bad{{}, kTime, {1, 2}, {1, 2}, {}};
  EXPECT(errorOf({"h", 9, {histogramMessage(bad)}}).find("2 buckets for 2 bounds") !=
         std::string::npos);
  const HistogramPoint boundless{{}, kTime, {1, std::nan("")}, {1, 2, 3}, {}};
  EXPECT(errorOf({"h", 9, {histogramMessage(boundless)}}).find("not a finite number") !=
         std::string::npos);
  const HistogramPoint falling{{}, kTime, {2, 1}, {1, 2, 3}, {}};
  EXPECT(errorOf({"h", 9, {histogramMessage(falling)}}).find("do not increase") !=
         std::string::npos);
  const HistogramPoint hiding{{{"le", "1"}}, kTime, {1}, {1, 2}, {}};
  EXPECT(errorOf({"h", 9, {histogramMessage(hiding)}}).find("\"le\"") != std::string::npos);
}

TEST("lists nested more than 8 deep are rejected with that reason") {
  MessageWriter value = textValue("x");
  for (int depth = 0; depth < 9; ++depth) {
    MessageWriter values;
    values.addMessage(1, value);
    MessageWriter list;
    list.addMessage(5, values);
    value = list;
  }
  EXPECT(errorOf(gaugeOf(attributeMessage("a", value))).find("more than 8 deep") !=
         std::string::npos);
}

TEST("a lenient request stores good points beside bad ones; a strict one stores none") {
  const auto body = otlpRequest({{{}, {gauge({{"a", "\xff"}}), gauge({})}}});
  const auto lenient = parse(body);
  EXPECT(lenient.staged.refs.size() == 1 && lenient.staged.rejected.size() == 1);
  EXPECT(lenient.staged.lineCount == 2);
  IngestOptions strict = options();
  strict.isLenient = false;
  EXPECT(parse(body, strict).code == StatusCode::kInvalidRecord);
}

TEST("a histogram past the series limit leaves no series") {
  Fixture fixture{makeOtlpParser};
  SeriesLimits limits;
  limits.seriesMax = 3;
  IndexHolder holder(SeriesIndex::make(limits));
  const auto state = ParserState::make(holder, kCacheBytes);
  const HistogramPoint point{{}, kTime, {1, 2}, {1, 2, 3}, 4};
  const auto body = otlpRequest({{{}, {{"h", 9, {histogramMessage(point)}}, gauge({})}}});
  const auto outcome = parseText(*state, body, options(), makeOtlpParser);
  REQUIRE(outcome.staged.rejected.size() == 1);
  EXPECT(outcome.staged.rejected[0].code == StatusCode::kSeriesLimit);
  EXPECT(outcome.staged.pendingSeries.size() == 1);
}

TEST("bytes that are not an OTLP request are refused whole") {
  EXPECT(parse("\x10\x01").code == StatusCode::kOk);  // An unknown field.
  EXPECT(parse("\x0a\x05").code == StatusCode::kInvalidRecord);
  EXPECT(parse("{\"resourceMetrics\":[]}").code == StatusCode::kInvalidRecord);
  EXPECT(parse("").code == StatusCode::kOk);
}

TEST("integers that no double equals are counted") {
  const std::int64_t odd = (std::int64_t{1} << 53) + 1;
  const MetricText metric{
      "m", 5, {numberMessage({{}, kTime, odd}), numberMessage({{}, kTime, std::int64_t{-4}})}};
  EXPECT(parse(otlpRequest({{{}, {metric}}})).staged.inexactCount == 1);
}

TEST("names are escaped as in Prometheus when requested") {
  OtlpRules rules;
  rules.escapesNames = true;
  MetricText sum{
      "http.server.requests", 7, {numberMessage({{{"http.method", "GET"}}, kTime, 1.0})}};
  sum.isMonotonic = true;
  sum.unit = "{request}";
  MetricText ratio = gauge({{"a.b", "2"}, {"a-b", "1"}}, 1, "used.ratio");
  ratio.unit = "1";
  EXPECT((rows(otlpRequest({{{}, {sum, ratio}}}), options(rules)) ==
          Rows{"http_server_requests_total{http_method=GET} 1700000000 1",
               "used_ratio{a_b=1;2} 1700000000 1"}));
}
