// Reads NativeQuery of src/storage/native/contract.ts.
#pragma once

#include <napi.h>

#include "common/base/status.h"
#include "query/query_request.h"

namespace seriesdb {

Result<QueryRequest> readQuery(const Napi::Value& value);
// Replaces the read of `request` by a NativePreparedRead.
Status readWhatIsRead(const Napi::Value& value, QueryRequest& request);

}  // namespace seriesdb
