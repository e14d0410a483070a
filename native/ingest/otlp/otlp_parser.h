// Parses OpenTelemetry's ExportMetricsServiceRequest (opentelemetry/proto/collector/metrics/v1), in
// protobuf, unpacked, into staged samples of one request.
//
// Rejections are counted in points. Kinds of metrics from later versions are ignored.
#pragma once

#include <memory>

#include "ingest/ingest_parser.h"

namespace seriesdb {

// The state must outlive it.
std::unique_ptr<IngestParser> makeOtlpParser(ParserState& state, const IngestOptions& options);

}  // namespace seriesdb
