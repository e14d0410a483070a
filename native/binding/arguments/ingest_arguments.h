// Reads NativeIngestOptions of src/storage/native/contract.ts.
#pragma once

#include <napi.h>

#include "common/base/status.h"
#include "storage/intake/ingest_request.h"

namespace seriesdb {

Result<IngestRequest::Form> readIngestForm(const Napi::Value& value);

}  // namespace seriesdb
