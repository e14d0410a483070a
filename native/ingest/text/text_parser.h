// Parses lines of text into staged samples: the part that all formats of one record per line share.
//
// Two paths with the same result. The *frame cache* (frame_cache.h) knows lines byte for byte,
// except for their number slots (times, values). If a line hits a frame, its meaning is known, and
// only its numbers are read. All other lines go to the format's dialect (dialect.h), which checks
// them completely, and teach the cache. Prediction: the frame that last followed the current one is
// compared first, without hashing.
#pragma once

#include <memory>

#include "ingest/ingest_parser.h"
#include "ingest/text/dialect.h"

namespace seriesdb {

enum class IngestFormat : std::uint8_t { kNdjson, kLineProtocol, kCsv };
inline constexpr std::size_t kTextFormatCount = 3;

// Calls `make` for the first request of its format. The dialect lives in the state, which must
// outlive the parser.
std::unique_ptr<IngestParser> makeTextParser(ParserState& state, IngestFormat format,
                                             const IngestOptions& options,
                                             std::unique_ptr<Dialect> (*make)());

}  // namespace seriesdb
