// Parses Prometheus' remote_write 2.0, unpacked, into staged samples of one request.
//
// A request of 2.0 (io/prometheus/write/v2/types.proto) has each text once, and series refer to it
// by number. This parser converts each series to 1.0 for the parser of 1.0. So there is one reader
// of labels, samples and metadata, and both versions share the frame cache. A text budget bounds
// the converted size, because a few bytes may name long texts.
#pragma once

#include <memory>

#include "ingest/ingest_parser.h"

namespace seriesdb {

// The state must outlive it.
std::unique_ptr<IngestParser> makeSecondVersionParser(ParserState& state,
                                                      const IngestOptions& options);

}  // namespace seriesdb
