// NativeQuestion of src/native/contract.ts: what an open database is asked, and answers in JSON.
#pragma once

#include <napi.h>

#include <memory>

#include "answer/json_reader.h"
#include "base/status.h"
#include "engine/engine.h"

namespace seriesdb {

// The reader of the answer, which the engine must outlive. `answer` of the question tells which.
Result<std::unique_ptr<JsonReader>> openQuestion(Engine& engine, const Napi::Value& value);

}  // namespace seriesdb
