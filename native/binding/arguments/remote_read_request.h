// NativeRemoteRead and NativeLabelQuestion of src/native/contract.ts, read.
#pragma once

#include <napi.h>

#include "base/status.h"
#include "remote_read/label_answer.h"
#include "remote_read/read_request.h"

namespace seriesdb {

Result<RemoteReadRequest> readRemoteRead(const Napi::Object& question);
Result<LabelQuestion> readLabelQuestion(const Napi::Object& question);

}  // namespace seriesdb
