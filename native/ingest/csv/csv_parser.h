// Parses comma-separated values into staged samples of one request.
#pragma once

#include <memory>
#include <span>

#include "ingest/ingest_parser.h"

namespace seriesdb {

// Checks that the columns make sense: one of time, a value with a name, and no two for the same
// purpose. kInvalidArgument.
Status checkColumns(std::span<const CsvColumn> columns);

// The state must outlive it. REQUIRES: checkColumns() accepted the columns of the options.
std::unique_ptr<IngestParser> makeCsvParser(ParserState& state, const IngestOptions& options);

}  // namespace seriesdb
