// Lines of text -> staged samples: what the formats of one record a line share.
//
// Two paths with one result. The *frame cache* (frame_cache.h) knows lines byte for byte except for
// their number slots (times, values): a line whose frame was seen before and whose slots are
// numbers means what that line meant, so only the numbers are read. Everything else goes to the
// format's dialect (dialect.h), which checks all of it, and teaches the cache. Prediction: the
// frame that followed the last one the last time is compared first, without hashing.
#pragma once

#include <memory>

#include "ingest/ingest_parser.h"
#include "ingest/text/dialect.h"

namespace seriesdb {

enum class IngestFormat : std::uint8_t { kNdjson, kLineProtocol, kCsv };
inline constexpr std::size_t kTextFormatCount = 3;

// `make` is called for the first request of its format; the dialect lives in the state, which must
// outlive the parser.
std::unique_ptr<IngestParser> makeTextParser(ParserState& state, IngestFormat format,
                                             const IngestOptions& options,
                                             std::unique_ptr<Dialect> (*make)());

}  // namespace seriesdb
