#include "ingest/victoriametrics/victoriametrics_parser.h"

#include <string>

#include "line_bodies.h"
#include "target.h"

using namespace seriesdb;
using namespace seriesdb::fuzz;

namespace {

std::vector<ByteBuffer> makeVictoriaMetricsBodies(Random& random) {
  const char* const shapes[] = {
      R"({"metric":{"__name__":"cpu","host":"a"},"values":[VALUE,2],"timestamps":[TS,1]})",
      R"({"timestamps":[TS],"values":[null],"metric":{"__name__":"größe","k":""}})",
      R"({"metric":{"__name__":"m\u00e4"},"values":["NaN","-Infinity",VALUE],"timestamps":[1,2,TS]})",
      R"({"x":[{"values":[]}],"metric" : {"__name__":"e"} ,"values":[],"timestamps":[]})"};
  std::vector<ByteBuffer> all;
  for (std::size_t count = 1; count < 20; ++count) {
    std::string body(1, static_cast<char>(count * 64 | (count & 1)));
    for (std::size_t i = 0; i < count; ++i) {
      std::string line = shapes[(count + i / 3) % std::size(shapes)];
      const auto time = line.find("TS");
      if (time != std::string::npos) line.replace(time, 2, std::to_string(1'700'000'000'000 + i));
      const auto value = line.find("VALUE");
      if (value != std::string::npos) line.replace(value, 5, std::to_string(random() % 10'000));
      body += line + (i % 5 == 4 ? "\r\n" : "\n");
    }
    const Bytes bytes = asBytes(body);
    all.emplace_back(bytes.begin(), bytes.end());
  }
  return all;
}

bool readVictoriaMetricsBody(Bytes input) { return readLines(input, makeVictoriaMetricsParser); }

const Registration victoriaMetricsRegistration{{
    .name = "victoriametrics",
    .sentence = "lines of VictoriaMetrics mean the same however they are cut",
    .read = &readVictoriaMetricsBody,
    .seeds = &makeVictoriaMetricsBodies,
    .words = {"{", "}", "[", "]", ",", "\n", "\r\n", "\"values\":[", "\"timestamps\":[",
              "\"metric\":{", "\"__name__\":\"", "null", "\"NaN\"", "\"Infinity\"", "\"-Infinity\"",
              "\\ud800", "1e999", "-0", "9223372036854775808", "\x1f\x8b", "\xEF\xBB\xBF"},
}};

}  // namespace
