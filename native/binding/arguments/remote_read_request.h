// NativeRemoteRead of src/native/contract.ts, read.
#pragma once

#include <napi.h>

#include "base/status.h"
#include "remote_read/read_request.h"

namespace seriesdb {

Result<RemoteReadRequest> readRemoteRead(const Napi::Object& question);

}  // namespace seriesdb
