// OpenTelemetry's ExportMetricsServiceRequest in JSON, unpacked -> staged samples of one request:
// as otlp_parser.h, which it feeds.
#pragma once

#include <memory>

#include "ingest/ingest_parser.h"

namespace seriesdb {

// The state must outlive it.
std::unique_ptr<IngestParser> makeOtlpJsonParser(ParserState& state, const IngestOptions& options);

}  // namespace seriesdb
