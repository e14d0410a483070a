// An AnyValue of OpenTelemetry as the text of a label.
#pragma once

#include <string>

#include "common/base/bytes.h"
#include "common/base/status.h"

namespace seriesdb {

// Lists and maps within each other.
inline constexpr unsigned kAttributeDepthMax = 8;

// Appends a text as it is, bytes in base64, NaN and infinities as Prometheus has them, all else as
// JSON; nothing for no value. kInvalidRecord when it is damaged or nests deeper.
Status appendAttributeText(Bytes value, std::string& out);

}  // namespace seriesdb
