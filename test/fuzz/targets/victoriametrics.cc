#include "ingest/victoriametrics/victoriametrics_parser.h"

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
  return makeLineBodies(random, shapes);
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
