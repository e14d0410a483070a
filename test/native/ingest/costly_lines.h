// Single lines of the greatest size, of every kind that is costly to parse. The parser does not
// pause within a line.
#pragma once

#include <string>
#include <vector>

#include "ingest/costly_bodies.h"
#include "ingest/csv/csv_parser.h"

namespace seriesdb::test {

inline constexpr std::size_t kLineSize = std::size_t{64} << 10;

// `begin`, then as many copies of `item` as fit, with a number for each `#`, then `end`.
inline std::string repeatedIn(std::size_t size, const std::string& begin, const std::string& item,
                              const std::string& end) {
  std::string line = begin;
  for (int i = 0;; ++i) {
    std::string next = item;
    if (const auto at = next.find('#'); at != std::string::npos) {
      next.replace(at, 1, std::to_string(i));
    }
    if (line.size() + next.size() + end.size() > size) break;
    line += next;
  }
  if (line.ends_with(',')) line.pop_back();
  return line + end + '\n';
}

constexpr std::size_t kCsvValueCount = 16'000;

inline std::unique_ptr<IngestParser> makeWideCsv(ParserState& state, const IngestOptions& wanted) {
  IngestOptions options = wanted;
  options.columns = {{ColumnKind::kTime, ""}, {ColumnKind::kDescription, ""}};
  for (std::size_t i = 0; i < kCsvValueCount; ++i) {
    options.columns.push_back({ColumnKind::kValue, "m" + std::to_string(i)});
  }
  return makeCsvParser(state, options);
}

// Each value is a metric, whose name begins with the cell of the metric.
inline std::unique_ptr<IngestParser> makeWideCsvOfMetric(ParserState& state,
                                                         const IngestOptions& wanted) {
  IngestOptions options = wanted;
  options.columns = {{ColumnKind::kTime, ""}, {ColumnKind::kMetric, ""}};
  for (std::size_t i = 0; i < kCsvValueCount; ++i) {
    options.columns.push_back({ColumnKind::kValue, std::to_string(i)});
  }
  return makeCsvParser(state, options);
}

// Lines of about `size` bytes.
inline std::vector<CostlyBody> costlyJsonLines(std::size_t size) {
  const auto json = makeNdjsonParser;
  const auto lineOf = [size](const std::string& begin, const std::string& item,
                             const std::string& end) {
    return repeatedIn(size, begin, item, end);
  };
  const std::string metric = R"({"metric":"m","ts":1,"value":1,)";
  const std::string fields = R"({"metric":"m","ts":1,"fields":{)";
  return {
      {"a line of NDJSON: distinct labels", json,
       lineOf(metric + R"("labels":{)", "\"#\":1,", "}}")},
      {"a line of NDJSON: empty labels", json,
       lineOf(metric + R"("labels":{)", "\"#\":\"\",", "}}")},
      {"a line of NDJSON: null labels", json,
       lineOf(metric + R"("labels":{)", "\"#\":null,", "}}")},
      {"a line of NDJSON: unknown members", json, lineOf(metric, "\"#\":1,", "}")},
      {"a line of NDJSON: unknown members that are short", json, lineOf(metric, "\"\":1,", "}")},
      {"a line of NDJSON: equal fields", json, lineOf(fields, "\"a\":1,", "}}")},
      {"a line of NDJSON: fields", json, lineOf(fields, "\"#\":1,", "}}")},
      {"a line of NDJSON: fields of long decimals", json,
       lineOf(fields, "\"#\":1.7976931348623157e308,", "}}")},
      {"a line of NDJSON: fields of 800 digits", json,
       lineOf(fields, "\"#\":0." + std::string(800, '3') + "e-100,", "}}")},
      {"a line of NDJSON: large integers", json,
       lineOf(fields, "\"#\":1" + std::string(300, '7') + ",", "}}")},
      {"a line of NDJSON: fields of a long metric", json,
       lineOf("{\"metric\":\"" + std::string(249, 'm') + R"(","ts":1,"fields":{)", "\"#\":1,",
              "}}")},
      {"a line of NDJSON: fields of a metric of 14 characters", json,
       lineOf(R"({"metric":"measured.value","ts":1,"fields":{)", "\"#\":1,", "}}")},
      {"a line of NDJSON: a long number", json, lineOf(metric + "\"a\":1", "1", "}")},
      {"a line of NDJSON: a long value", json,
       lineOf(R"({"metric":"m","ts":1,"value":0.1)", "3", "}")},
      {"a line of NDJSON: a description of escapes", json,
       lineOf(metric + R"("description":")", "\\n", "\"}")},
      {"a line of NDJSON: a description of escaped units", json,
       lineOf(metric + R"("description":")", "\\u00e9", "\"}")},
      {"a line of NDJSON: escaped keys", json, lineOf(fields, R"("\u0061#":1,)", "}}")},
      {"a line of NDJSON: nested objects", json, lineOf(metric + R"("a":[)", R"({"a":{}},)", "]}")},
      {"a line of NDJSON: literals", json, lineOf(metric + R"("a":[)", "true,", "]}")},
      {"a line of NDJSON: numbers", json, lineOf(metric + R"("a":[)", "1,", "]}")},
      {"a line of NDJSON: an array", json, lineOf("[", "1,", "]")},
      {"a line of NDJSON: blanks", json, lineOf(metric + "\"a\":1", " ", "}")},
      {"a line of NDJSON: legacy fields", json,
       lineOf(R"({"series":"m","ts":1,"fields":{)", "\"#\":1,", "}}")},
      {"a line of NDJSON: unit and fields", json,
       lineOf(R"({"metric":"m","ts":1,"unit":"s","kind":"gauge","fields":{)", "\"#\":1,", "}}")},
  };
}

// Lines of about `size` bytes.
inline std::vector<CostlyBody> costlyInfluxLines(std::size_t size) {
  const auto influx = makeLineProtocolParser;
  const auto lineOf = [size](const std::string& begin, const std::string& item,
                             const std::string& end) {
    return repeatedIn(size, begin, item, end);
  };
  return {
      {"a line of line protocol: tags", influx, lineOf("m", ",#=1", " f=1 1")},
      {"a line of line protocol: equal tags", influx, lineOf("m", ",a=1", " f=1 1")},
      {"a line of line protocol: empty tags", influx, lineOf("m", ",a=", " f=1 1")},
      {"a line of line protocol: fields", influx, lineOf("m,a=b ", "#=1,", "")},
      {"a line of line protocol: equal fields", influx, lineOf("m,a=b ", "f=1,", "")},
      {"a line of line protocol: equal fields of a long measurement", influx,
       lineOf(std::string(250, 'm') + " ", "f=1,", "")},
      {"a line of line protocol: fields of a long measurement", influx,
       lineOf(std::string(250, 'm') + " ", "#=1,", "")},
      {"a line of line protocol: fields of a measurement of 14 characters", influx,
       lineOf("measured.value ", "#=1,", "")},
      {"a line of line protocol: integers", influx,
       lineOf("m,a=b ", "#=9223372036854775807i,", "")},
      {"a line of line protocol: words", influx, lineOf("m,a=b ", "#=False,", "")},
      {"a line of line protocol: decimals", influx, lineOf("m ", "#=1.7976931348623157e308,", "")},
      {"a line of line protocol: numbers of another form", influx, lineOf("m ", "#=+.5,", "")},
      {"a line of line protocol: long decimals", influx,
       lineOf("m ", "#=0." + std::string(800, '3') + "e-100,", "")},
      {"a line of line protocol: strings", influx, lineOf("m ", "#=\"\",", "")},
      {"a line of line protocol: a long string", influx, lineOf("m f=\"", "\\\"", "\"")},
      {"a line of line protocol: escapes", influx, lineOf("m f\\ ", "\\ ", "=1")},
      {"a line of line protocol: escaped fields", influx, lineOf("m ", "a\\ #=1,", "")},
      {"a line of line protocol: a long number", influx, lineOf("m f=0.", "3", "")},
  };
}

inline std::vector<CostlyBody> costlyLines() {
  std::vector<CostlyBody> all{
      {"a row: values", makeWideCsv, "1,d" + repeated(",1", kCsvValueCount) + "\n"},
      {"a row: values of four bytes", makeWideCsv, "1," + repeated(",0.5", kCsvValueCount) + "\n"},
      {"a row: empty cells", makeWideCsv, "1,d" + repeated(",", kCsvValueCount) + "\n"},
      {"a row: quoted cells", makeWideCsv, "1,d" + repeated(",\"\"", kCsvValueCount) + "\n"},
      {"a row: values of a long metric", makeWideCsvOfMetric,
       "1," + std::string(58, 'm') + repeated(",1", kCsvValueCount) + "\n"},
      {"a row: values of a metric that is too long for so many", makeWideCsvOfMetric,
       "1," + std::string(249, 'm') + repeated(",1", kCsvValueCount) + "\n"},
  };
  for (auto* const lines : {costlyJsonLines, costlyInfluxLines}) {
    for (CostlyBody& one : lines(kLineSize)) all.push_back(std::move(one));
  }
  return all;
}

}  // namespace seriesdb::test
