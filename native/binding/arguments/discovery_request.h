// Reads NativeDiscovery and NativeSeriesFilter of src/storage/native/contract.ts.
#pragma once

#include <napi.h>

#include "common/base/status.h"
#include "query/answers/discovery_reader.h"

namespace seriesdb {

Result<SeriesFilter> readSeriesFilter(const Napi::Value& value);
Result<Discovery> readDiscovery(const Napi::Value& value);

}  // namespace seriesdb
