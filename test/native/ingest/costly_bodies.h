// Bodies of few bytes that stand for much: each once held a server up, or filled its memory.
#pragma once

#include <string>
#include <vector>

#include "ingest/ingest_fixture.h"
#include "line_protocol/line_protocol_parser.h"
#include "otlp/otlp_parser.h"
#include "otlp/request_writer.h"
#include "remote_write/remote_write_parser.h"
#include "remote_write/second_version.h"

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

inline std::string emptySamplesBody() {
  MessageWriter series;
  series.addMessage(1, MessageWriter());
  MessageWriter named = repeatedField(2, "", 4'000'000);
  MessageWriter label;
  label.addText(1, "__name__");
  label.addText(2, "m");
  MessageWriter all;
  all.addMessage(1, label);
  all.addBytes(named.bytes());
  MessageWriter request;
  request.addMessage(1, all);
  return textOf(request);
}

// Tags of half a line, and fields for the other half, each of which is a series.
inline std::string wideLinesBody() {
  std::string line = "m";
  for (int i = 0; i < 8; ++i) line += ",t" + std::to_string(i) + "=" + std::string(1'900, 'x');
  line += ' ';
  for (int i = 0; line.size() < 60'000; ++i) line += "f" + std::to_string(i) + "=1,";
  line.back() = '\n';
  return repeated(line, 4);
}

// Points of a few bytes, each with the labels of the resource.
inline std::string longResourceBody() {
  MessageWriter resource;
  addAttributes(resource, 1, {{"service.name", std::string(15'000, 'x')}});
  MetricText metric{"m", 5, {}};
  for (std::uint64_t i = 1; i < 100'000; ++i) metric.points.push_back(numberMessage({{}, i, 1.0}));
  return otlpBodyOf(resource, scopeOf(metric));
}

inline std::vector<CostlyBody> costlyBodies() {
  return {
      {"a long symbol", makeSecondVersionParser, longSymbolBody()},
      {"as many resource attributes as point attributes", makeOtlpParser,
       manyAttributesBody(20'000)},
      {"bounds and a long attribute", makeOtlpParser, manyBoundsBody()},
      {"empty scopes of a long resource", makeOtlpParser, emptyScopesBody()},
      {"a wide resource", makeOtlpParser, wideResourceBody(1'000'000)},
      {"quantiles", makeOtlpParser, manyQuantilesBody()},
      {"labels of two bytes", makeRemoteWriteParser, shortLabelsBody()},
      {"samples of two bytes", makeRemoteWriteParser, emptySamplesBody()},
      {"wide lines", makeLineProtocolParser, wideLinesBody()},
      {"points of a long resource", makeOtlpParser, longResourceBody()},
      {"bad lines of a byte", makeNdjsonParser, repeated("x\n", 500'000)},
  };
}

}  // namespace seriesdb::test
