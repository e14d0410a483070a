// Parses NDJSON into staged samples of one request.
#pragma once

#include <memory>

#include "ingest/ingest_parser.h"

namespace seriesdb {

// The state must outlive it.
std::unique_ptr<IngestParser> makeNdjsonParser(ParserState& state, const IngestOptions& options);

}  // namespace seriesdb
