// Small bodies that cause much work or memory: each of them once blocked a server or filled its
// memory.
#pragma once

#include <string>
#include <vector>

#include "ingest/ingest_fixture.h"
#include "ingest/line_protocol/line_protocol_parser.h"
#include "ingest/otlp/json_parser.h"
#include "ingest/otlp/json_writer.h"
#include "ingest/otlp/otlp_parser.h"
#include "ingest/otlp/request_writer.h"
#include "ingest/remote_write/remote_write_parser.h"
#include "ingest/remote_write/second_version.h"

namespace seriesdb::test {

struct CostlyBody {
  const char* name;
  MakeParser make;
  std::string body;
};

inline std::string textOf(const MessageWriter& message) {
  return std::string(asText(message.bytes()));
}

inline std::string repeated(std::string_view text, std::size_t count) {
  std::string all;
  all.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

inline MessageWriter repeatedField(std::uint32_t field, std::string_view text, std::size_t count) {
  MessageWriter one;
  one.addText(field, text);
  MessageWriter all;
  all.addBytes(asBytes(repeated(asText(one.bytes()), count)));
  return all;
}

// One symbol of a mebibyte, which one series names again and again in chunks of four numbers.
inline std::string longSymbolBody() {
  MessageWriter request;
  for (const std::string& text : {std::string(), std::string("__name__"), std::string("m"),
                                  std::string(std::size_t{1} << 20, 'x')}) {
    request.addText(4, text);
  }
  MessageWriter series;
  series.addText(1, std::string_view("\1\2", 2));
  series.addBytes(repeatedField(1, std::string_view("\3\3\3\3", 4), 1500).bytes());
  series.addText(2, "");
  request.addMessage(5, series);
  return textOf(request);
}

inline std::string otlpBodyOf(const MessageWriter& resource, const MessageWriter& scopes) {
  MessageWriter message;
  if (!resource.isEmpty()) message.addMessage(1, resource);
  message.addBytes(scopes.bytes());
  MessageWriter request;
  request.addMessage(1, message);
  return textOf(request);
}

inline MessageWriter scopeOf(const MetricText& metric) {
  MessageWriter scope;
  scope.addMessage(2, metricMessage(metric));
  MessageWriter scopes;
  scopes.addMessage(2, scope);
  return scopes;
}

// The resource has `service.name` as often as the point has an attribute.
inline std::string manyAttributesBody(std::size_t count) {
  const MessageWriter name = attributeMessage("service.name", textValue("a"));
  const MessageWriter attribute = attributeMessage("k", textValue("v"));
  MessageWriter point = numberMessage({{}, 1'000'000, 1.0});
  point.addBytes(repeatedField(7, asText(attribute.bytes()), count).bytes());
  return otlpBodyOf(repeatedField(1, asText(name.bytes()), count), scopeOf({"m", 5, {point}}));
}

inline std::string manyBoundsBody() {
  HistogramPoint point{{{"a", std::string(15'000, 'x')}}, 1'000'000, {}, {1}, 1.0};
  for (int i = 0; i < 60'000; ++i) {
    point.bounds.push_back(i);
    point.counts.push_back(1);
  }
  return otlpBodyOf({}, scopeOf({"h", 9, {histogramMessage(point)}}));
}

inline std::string emptyScopesBody() {
  MessageWriter resource;
  addAttributes(resource, 1, {{"service.name", std::string(std::size_t{1} << 20, 'x')}});
  return otlpBodyOf(resource, repeatedField(2, "", 40'000));
}

// Attributes of two bytes.
inline std::string wideResourceBody(std::size_t count) {
  const MessageWriter attribute = attributeMessage("k", textValue("v"));
  return otlpBodyOf(repeatedField(1, asText(attribute.bytes()), count),
                    scopeOf({"m", 5, {numberMessage({{}, 1'000'000, 1.0})}}));
}

inline std::string manyQuantilesBody() {
  MessageWriter point;
  addFixed64(point, 3, 1'000'000);
  for (int i = 0; i < 160'000; ++i) {
    MessageWriter quantile;
    quantile.addDouble(1, i / 160'000.0);
    point.addMessage(6, quantile);
  }
  return otlpBodyOf({}, scopeOf({"s", 11, {point}}));
}

inline std::string shortLabelsBody() {
  MessageWriter series = repeatedField(1, "", 2'000'000);
  series.addText(2, "");
  MessageWriter request;
  request.addMessage(1, series);
  return textOf(request);
}

inline std::string seriesBody(const MessageWriter& parts) {
  MessageWriter label;
  label.addText(1, "__name__");
  label.addText(2, "m");
  MessageWriter series;
  series.addMessage(1, label);
  series.addBytes(parts.bytes());
  MessageWriter request;
  request.addMessage(1, series);
  return textOf(request);
}

// Empty fields of one series with this field number: samples, exemplars, histograms.
inline std::string emptyPartsBody(std::uint32_t field) {
  return seriesBody(repeatedField(field, "", 2'000'000));
}

// A label that is a list of empty keys.
inline std::string longLabelBody() {
  MessageWriter parts;
  parts.addMessage(1, repeatedField(1, "", 2'000'000));
  parts.addText(2, "");
  return seriesBody(parts);
}

inline std::string secondSeriesBody(const MessageWriter& parts) {
  MessageWriter request;
  for (const std::string& text : {std::string(), std::string("__name__"), std::string("m")}) {
    request.addText(4, text);
  }
  MessageWriter series;
  series.addText(1, std::string_view("\1\2", 2));
  series.addBytes(parts.bytes());
  request.addMessage(5, series);
  return textOf(request);
}

// All possible pairs of labels, repeated.
inline std::string manyReferencesBody() {
  MessageWriter parts;
  parts.addText(1, repeated(std::string_view("\1\2", 2), 2'000'000));
  parts.addText(2, "");
  return secondSeriesBody(parts);
}

inline std::string hugeSymbolBody() {
  MessageWriter request;
  request.addText(4, "");
  request.addText(4, std::string(std::size_t{32} << 20, 'x'));
  return textOf(request);
}

// One metric of one resource, with a series for each point.
inline std::string manyPointsBody(std::uint32_t kind) {
  MetricText metric{"m", kind, {}};
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    metric.points.push_back(numberMessage({{{"a", std::to_string(i)}}, 1'000'000, 1.0}));
  }
  return otlpBodyOf({}, scopeOf(metric));
}

inline std::string emptyPointsBody() {
  MetricText metric{"m", 5, {}};
  metric.points.assign(4'000'000, MessageWriter());
  return otlpBodyOf({}, scopeOf(metric));
}

inline std::string longNameBody() {
  return otlpBodyOf(
      {},
      scopeOf({std::string(std::size_t{16} << 20, '.'), 5, {numberMessage({{}, 1'000'000, 1.0})}}));
}

inline std::string manyBucketsBody() {
  HistogramPoint point{{}, 1'000'000, {}, {1}, 1.0};
  for (int i = 0; i < 60'000; ++i) {
    point.bounds.push_back(i);
    point.counts.push_back(1);
  }
  return otlpBodyOf({}, scopeOf({"h", 9, {histogramMessage(point), histogramMessage(point)}}));
}

// Lines of one series, which parse fast, then lines of new series.
inline std::string newSeriesBody() {
  std::string body = repeated("{\"metric\":\"m\",\"ts\":1,\"value\":2}\n", 100'000);
  for (int i = 0; i < 50'000; ++i) {
    body += "{\"metric\":\"m\",\"labels\":{\"a\":\"" + std::to_string(i) +
            "\"},\"ts\":1,\"value\":2}\n";
  }
  return body;
}

// Half of each line is tags; the other half is fields, each of them a series.
inline std::string wideLinesBody() {
  std::string line = "m";
  for (int i = 0; i < 8; ++i) line += ",t" + std::to_string(i) + "=" + std::string(1'900, 'x');
  line += ' ';
  for (int i = 0; line.size() < 60'000; ++i) line += "f" + std::to_string(i) + "=1,";
  line.back() = '\n';
  return repeated(line, 4);
}

inline std::string manyJsonFieldsBody() {
  std::string body;
  for (int at = 0; at < 3; ++at) {
    std::string line = "{\"ts\":1,\"series\":\"m" + std::to_string(at) + "\",\"fields\":{";
    for (int i = 0; line.size() < 60'000; ++i) line += "\"f" + std::to_string(i) + "\":1,";
    line.back() = '}';
    body += line + "}\n";
  }
  return body;
}

// Each field is a series and describes its metric.
inline std::string manySiblingsBody() {
  std::string body;
  for (int at = 0; at < 3; ++at) {
    std::string line = "{\"ts\":1,\"metric\":\"m" + std::to_string(at) +
                       "\",\"unit\":\"s\",\"labels\":{\"a\":\"b\\n\"},\"fields\":{";
    for (int i = 0; line.size() < 65'000; ++i) line += "\"" + std::to_string(i) + "\":1,";
    line.back() = '}';
    body += line + "}\n";
  }
  return body;
}

// Points with the largest allowed number of buckets, each of them a new series.
inline std::string mostBucketsBody() {
  MessageWriter scopes;
  for (int at = 0; at < 4; ++at) {
    HistogramPoint point{{}, 1'000'000, {}, {1}, 1.0};
    for (int i = 0; i < 8'000; ++i) {
      point.bounds.push_back(i);
      point.counts.push_back(1);
    }
    const std::string name = "h" + std::to_string(at);
    scopes.addBytes(scopeOf({name, 9, {histogramMessage(point)}}).bytes());
  }
  return otlpBodyOf({}, scopes);
}

// The largest allowed number of fields in a line, each of them a series.
inline std::string manyFieldsBody() {
  std::string body;
  for (int at = 0; at < 3; ++at) {
    std::string line = "m,a=" + std::to_string(at) + ' ';
    for (int i = 0; line.size() < 60'000; ++i) line += "f" + std::to_string(i) + "=1,";
    line.back() = '\n';
    body += line;
  }
  return body;
}

// Points of a few bytes, each with the labels of the resource.
inline std::string longResourceBody() {
  MessageWriter resource;
  addAttributes(resource, 1, {{"service.name", std::string(15'000, 'x')}});
  MetricText metric{"m", 5, {}};
  for (std::uint64_t i = 1; i < 100'000; ++i) metric.points.push_back(numberMessage({{}, i, 1.0}));
  return otlpBodyOf(resource, scopeOf(metric));
}

inline std::string jsonWith(const std::string& metric) {
  return "{\"resourceMetrics\":[{\"scopeMetrics\":[{\"metrics\":[" + metric + "]}]}]}";
}

inline std::string jsonPointsWith(const std::string& points) {
  return jsonWith("{\"name\":\"m\",\"gauge\":{\"dataPoints\":[" + points + "]}}");
}

inline std::string jsonPointWith(const std::string& fields) {
  return jsonPointsWith("{\"timeUnixNano\":\"1000000\"," + fields + "}");
}

inline std::string jsonItems(std::string_view item, std::size_t count) {
  std::string all = repeated(item, count);
  all.pop_back();
  return all;
}

// Lists of the greatest depth, repeated.
inline std::string deepJsonBody() {
  const std::string open = "{\"arrayValue\":{\"values\":[";
  const std::string deep = repeated(open, 36) + repeated("]}}", 36) + ',';
  return jsonPointWith("\"attributes\":[{\"key\":\"a\",\"value\":" + open + jsonItems(deep, 4'000) +
                       "]}}}]");
}

inline std::string jsonBucketsBody() {
  return jsonWith("{\"name\":\"m\",\"histogram\":{\"dataPoints\":[{\"bucketCounts\":[" +
                  jsonItems("1,", 4'000'000) + "]}]}}");
}

inline std::vector<CostlyBody> costlyJsonBodies() {
  const auto make = makeOtlpJsonParser;
  const std::string resources = "{\"resourceMetrics\":[" + jsonItems("{},", 1'000'000) + "]}";
  const std::string attributes = "\"attributes\":[" + jsonItems("{},", 1'000'000) + ']';
  const std::string longText(std::size_t{16} << 20, 'x');
  const std::string longKey = "\"attributes\":[{\"key\":\"" + longText + "\"}]";
  return {
      {"brackets", make, std::string(std::size_t{8} << 20, '[')},
      {"nested lists of JSON", make, "{\"a\":[" + jsonItems("[[[[[[[[]]]]]]]],", 400'000) + "]}"},
      {"resources of JSON", make, resources},
      {"points of JSON", make, jsonPointsWith(jsonItems("{},", 1'000'000))},
      {"attributes of JSON", make, jsonPointWith(attributes)},
      {"buckets of JSON", make, jsonBucketsBody()},
      {"a long text of JSON", make, jsonPointWith(longKey)},
      {"a long text of JSON that is passed over", make, "{\"a\":\"" + longText + "\"}"},
      {"a long number of JSON", make, "{\"a\":" + std::string(std::size_t{1} << 20, '1') + '}'},
      {"deep attributes of JSON", make, deepJsonBody()},
      {"new series of one resource of JSON", make, otlpJsonOf(manyPointsBody(5))},
      {"points of a long resource of JSON", make, otlpJsonOf(longResourceBody())},
      {"quantiles of JSON", make, otlpJsonOf(manyQuantilesBody())},
      {"empty scopes of a long resource of JSON", make, otlpJsonOf(emptyScopesBody())},
  };
}

inline std::vector<CostlyBody> costlyMessages() {
  return {
      {"a long symbol", makeSecondVersionParser, longSymbolBody()},
      {"as many resource attributes as point attributes", makeOtlpParser,
       manyAttributesBody(20'000)},
      {"bounds and a long attribute", makeOtlpParser, manyBoundsBody()},
      {"empty scopes of a long resource", makeOtlpParser, emptyScopesBody()},
      {"a wide resource", makeOtlpParser, wideResourceBody(1'000'000)},
      {"quantiles", makeOtlpParser, manyQuantilesBody()},
      {"labels of two bytes", makeRemoteWriteParser, shortLabelsBody()},
      {"samples of two bytes", makeRemoteWriteParser, emptyPartsBody(2)},
      {"exemplars of two bytes", makeRemoteWriteParser, emptyPartsBody(3)},
      {"histograms of two bytes", makeRemoteWriteParser, emptyPartsBody(4)},
      {"a long label", makeRemoteWriteParser, longLabelBody()},
      {"samples of two bytes in 2.0", makeSecondVersionParser,
       secondSeriesBody(repeatedField(2, "", 2'000'000))},
      {"references to labels", makeSecondVersionParser, manyReferencesBody()},
      {"a huge symbol", makeSecondVersionParser, hugeSymbolBody()},
      {"symbols of two bytes", makeSecondVersionParser, textOf(repeatedField(4, "", 2'000'000))},
      {"scopes of two bytes", makeOtlpParser, otlpBodyOf({}, repeatedField(2, "", 2'000'000))},
      {"resources of two bytes", makeOtlpParser, otlpBodyOf({}, repeatedField(1, "", 2'000'000))},
      {"new series of one resource", makeOtlpParser, manyPointsBody(5)},
      {"sums of one resource", makeOtlpParser, manyPointsBody(7)},
      {"points of two bytes", makeOtlpParser, emptyPointsBody()},
      {"a long name", makeOtlpParser, longNameBody()},
      {"buckets", makeOtlpParser, manyBucketsBody()},
      {"new series behind known ones", makeNdjsonParser, newSeriesBody()},
      {"wide lines", makeLineProtocolParser, wideLinesBody()},
      {"most buckets of a point", makeOtlpParser, mostBucketsBody()},
      {"many fields of a line", makeLineProtocolParser, manyFieldsBody()},
      {"many bad fields of a line", makeLineProtocolParser,
       "m " + repeated("f=x,", 16'000) + "g=1\n"},
      {"many labels of a line", makeNdjsonParser,
       "{\"metric\":\"m\",\"labels\":{" + repeated("\"a\":\"\",", 9'000) +
           "\"b\":\"\"},\"ts\":1,\"value\":1}\n"},
      {"many fields of a line of NDJSON", makeNdjsonParser, manyJsonFieldsBody()},
      {"many siblings of a line of NDJSON", makeNdjsonParser, manySiblingsBody()},
      {"empty lines", makeNdjsonParser, std::string(500'000, '\n')},
      {"brackets of a line of NDJSON", makeNdjsonParser, "{\"a\":" + repeated("[", 60'000) + "\n"},
      {"points of a long resource", makeOtlpParser, longResourceBody()},
      {"bad lines of a byte", makeNdjsonParser, repeated("x\n", 500'000)},
  };
}

inline std::vector<CostlyBody> costlyBodies() {
  std::vector<CostlyBody> all = costlyMessages();
  for (CostlyBody& one : costlyJsonBodies()) all.push_back(std::move(one));
  return all;
}

}  // namespace seriesdb::test
