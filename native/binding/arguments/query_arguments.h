// NativeQuery of src/storage/native/contract.ts, read.
#pragma once

#include <napi.h>

#include "common/base/status.h"
#include "query/query_request.h"

namespace seriesdb {

Result<QueryRequest> readQuery(const Napi::Value& value);
// NativePreparedRead, in place of what the request reads.
Status readWhatIsRead(const Napi::Value& value, QueryRequest& request);

}  // namespace seriesdb
