// Comma-separated values -> staged samples of one request.
#pragma once

#include <memory>
#include <span>

#include "ingest/ingest_parser.h"

namespace seriesdb {

// Whether lines of such columns can mean anything: one of times, a value that has a name, and no
// two for the same. kInvalidArgument.
Status checkColumns(std::span<const CsvColumn> columns);

// The state must outlive it. REQUIRES: the columns of the options are checked.
std::unique_ptr<IngestParser> makeCsvParser(ParserState& state, const IngestOptions& options);

}  // namespace seriesdb
