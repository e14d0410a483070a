// Column definitions for tests of CSV rows.
#pragma once

#include "ingest/csv/csv_parser.h"
#include "ingest/ingest_fixture.h"

namespace seriesdb::test {

using enum ColumnKind;

inline IngestOptions optionsOf(std::vector<CsvColumn> columns) {
  IngestOptions options;
  options.columns = std::move(columns);
  return options;
}

// Columns ts,host,load,idle.
inline IngestOptions wideOptions() {
  return optionsOf({{kTime, ""}, {kLabel, "host"}, {kValue, "cpu.load"}, {kValue, "cpu.idle"}});
}

// Columns ts_ms,metric,value,host,metric_kind,metric_unit,user.
inline IngestOptions longOptions() {
  return optionsOf({{kTime, ""},
                    {kMetric, ""},
                    {kValue, ""},
                    {kLabel, "host"},
                    {kKind, ""},
                    {kUnit, ""},
                    {kValue, "user"}});
}

}  // namespace seriesdb::test
