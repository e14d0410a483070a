// NativeRemoteRead of src/native/contract.ts, read.
#pragma once

#include <napi.h>

#include "base/status.h"
#include "remote_read/remote_read.h"

namespace seriesdb {

Result<RemoteReadRequest> readRemoteRead(const Napi::Object& question);

}  // namespace seriesdb
