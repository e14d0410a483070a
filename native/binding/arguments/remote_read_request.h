// Reads NativeRemoteRead and NativeLabelQuestion of src/storage/native/contract.ts.
#pragma once

#include <napi.h>

#include "common/base/status.h"
#include "query/remote_read/label_answer.h"
#include "query/remote_read/read_request.h"

namespace seriesdb {

Result<RemoteReadRequest> readRemoteRead(const Napi::Object& question);
Result<LabelQuestion> readLabelQuestion(const Napi::Object& question);

}  // namespace seriesdb
