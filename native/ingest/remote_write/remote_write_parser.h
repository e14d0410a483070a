// Parses Prometheus' remote_write 1.0, unpacked, into staged samples of one request.
#pragma once

#include <memory>

#include "ingest/ingest_parser.h"

namespace seriesdb {

// The state must outlive it.
std::unique_ptr<IngestParser> makeRemoteWriteParser(ParserState& state,
                                                    const IngestOptions& options);

}  // namespace seriesdb
