// Prometheus' remote_write 2.0, unpacked -> staged samples of one request.
//
// A request of 2.0 (io/prometheus/write/v2/types.proto) has its texts once, and series name them by
// number. Each series is written out as one of 1.0 and read as such, so that there is one reader of
// labels, samples and metadata, and both versions share what is known of a series. So does the
// limit of a body, which a few bytes that name long texts would else grow past.
#pragma once

#include <memory>

#include "ingest/ingest_parser.h"

namespace seriesdb {

// The state must outlive it.
std::unique_ptr<IngestParser> makeSecondVersionParser(ParserState& state,
                                                      const IngestOptions& options);

}  // namespace seriesdb
