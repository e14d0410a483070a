// OpenTelemetry's ExportMetricsServiceRequest (opentelemetry/proto/collector/metrics/v1), in
// protobuf, unpacked -> staged samples of one request.
//
// What is set aside is counted in points. Metrics that later versions bring are passed over.
#pragma once

#include <memory>

#include "ingest/ingest_parser.h"

namespace seriesdb {

// The state must outlive it.
std::unique_ptr<IngestParser> makeOtlpParser(ParserState& state, const IngestOptions& options);

}  // namespace seriesdb
