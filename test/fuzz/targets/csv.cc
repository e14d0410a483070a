#include "ingest/csv/csv_parser.h"
#include "line_bodies.h"
#include "target.h"

using namespace seriesdb;
using namespace seriesdb::fuzz;

namespace {

std::unique_ptr<IngestParser> makeRows(ParserState& state, const IngestOptions& wanted) {
  using enum ColumnKind;
  IngestOptions options = wanted;
  options.columns = {{kTime, ""},      {kLabel, "host"}, {kMetric, ""},
                     {kValue, ""},     {kValue, "more"}, {kKind, ""},
                     {kSkipped, ""}};
  return makeCsvParser(state, options);
}

std::vector<ByteBuffer> makeCsvBodies(Random& random) {
  const char* const shapes[] = {"TS,a,cpu,VALUE,1,gauge,x", "TS,\"b,\"\"c\"\"\nd\",cpu,VALUE,,,",
                                "TS,,größe,\"VALUE\",+1,,\"\"", "2023-11-14T22:13:20.5Z,a,mem,VALUE,,,"};
  return makeLineBodies(random, shapes);
}

bool readCsvBody(Bytes input) { return readLines(input, makeRows); }

const Registration csvRegistration{{
    .name = "csv",
    .sentence = "rows mean to the frame cache what they mean without it, however they are cut",
    .read = &readCsvBody,
    .seeds = &makeCsvBodies,
    .words = {",", "\"", "\"\"", "\n", "\r\n", "\",\"", "\xEF\xBB\xBF", "\xff", "-0", "NaN", "1.",
              ".5", "+1", "1970-01-01", "T00:00:00Z", "+01:00", "9007199254740993", "gauge",
              "counter"},
}};

}  // namespace
