// NativeQuery of src/native/contract.ts, read.
#pragma once

#include <napi.h>

#include "base/status.h"
#include "query/query_request.h"

namespace seriesdb {

Result<QueryRequest> readQuery(const Napi::Value& value);

}  // namespace seriesdb
