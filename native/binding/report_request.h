// NativeReportRequest of src/native/contract.ts.
#pragma once

#include <napi.h>

#include <memory>

#include "base/status.h"
#include "engine/json_reader.h"

namespace seriesdb {

Result<std::unique_ptr<JsonReader>> readReport(const Napi::Value& value);

}  // namespace seriesdb
