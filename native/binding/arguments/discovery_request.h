// NativeDiscovery and NativeSeriesFilter of src/native/contract.ts, read.
#pragma once

#include <napi.h>

#include "answer/discovery_reader.h"
#include "base/status.h"

namespace seriesdb {

Result<SeriesFilter> readSeriesFilter(const Napi::Value& value);
Result<Discovery> readDiscovery(const Napi::Value& value);

}  // namespace seriesdb
