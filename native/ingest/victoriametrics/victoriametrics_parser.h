// Parses VictoriaMetrics' JSON lines, as its /api/v1/export writes them, into staged samples of one
// request.
#pragma once

#include <memory>

#include "ingest/ingest_parser.h"

namespace seriesdb {

// The state must outlive it.
std::unique_ptr<IngestParser> makeVictoriaMetricsParser(ParserState& state,
                                                        const IngestOptions& options);

}  // namespace seriesdb
