// Parses InfluxDB line protocol into staged samples of one request.
#pragma once

#include <memory>

#include "ingest/ingest_parser.h"

namespace seriesdb {

// The state must outlive it.
std::unique_ptr<IngestParser> makeLineProtocolParser(ParserState& state,
                                                     const IngestOptions& options);

}  // namespace seriesdb
