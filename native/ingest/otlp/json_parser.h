// Parses OpenTelemetry's ExportMetricsServiceRequest in JSON, unpacked, into staged samples of one
// request. It feeds the parser of otlp_parser.h.
#pragma once

#include <memory>

#include "ingest/ingest_parser.h"

namespace seriesdb {

// The state must outlive it.
std::unique_ptr<IngestParser> makeOtlpJsonParser(ParserState& state, const IngestOptions& options);

}  // namespace seriesdb
