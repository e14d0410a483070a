// Converts an AnyValue of OpenTelemetry to a label's text.
#pragma once

#include <string>

#include "common/base/bytes.h"
#include "common/base/status.h"

namespace seriesdb {

// The maximum nesting of lists and maps.
inline constexpr unsigned kAttributeDepthMax = 8;

// Appends the value: a text unchanged, bytes in base64, NaN and infinities as in Prometheus, others
// as JSON, and nothing if there is no value. kInvalidRecord if it is damaged or nested too deep.
Status appendAttributeText(Bytes value, std::string& out);

}  // namespace seriesdb
