// The samples of a body that no database stores.
#pragma once

#include <string>

#include "common/base/bytes.h"
#include "ingest/format/body_format.h"

namespace seriesdb {

// A line of JSON for each sample, in their order; bad lines have none:
//
//   {"metric":"cpu.load","labels":{"host":"a"},"ts":1700000000000,"value":0.5}
//
// Fails if the body as a whole is refused.
Result<std::string> previewBody(BodyFormat format, IngestOptions options, Bytes body);

}  // namespace seriesdb
