#include <string>

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
  std::vector<ByteBuffer> all;
  for (std::size_t count = 1; count < 20; ++count) {
    std::string body(1, static_cast<char>(count * 64 | (count & 1)));
    for (std::size_t i = 0; i < count; ++i) {
      std::string row = shapes[(count + i / 3) % std::size(shapes)];
      const auto value = static_cast<double>(random() % 10'000) / 8;
      row.replace(row.find("VALUE"), 5, std::to_string(value));
      const auto time = row.find("TS");
      if (time != std::string::npos) row.replace(time, 2, std::to_string(1'700'000'000'000 + i));
      body += row + (i % 5 == 4 ? "\r\n" : "\n");
    }
    const Bytes bytes = asBytes(body);
    all.emplace_back(bytes.begin(), bytes.end());
  }
  return all;
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
