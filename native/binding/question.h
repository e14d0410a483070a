// NativeQuestion of the contract: questions to an open database, answered in JSON.
#pragma once

#include <napi.h>

#include <memory>

#include "common/base/status.h"
#include "query/answers/json_reader.h"
#include "storage/engine/engine.h"

namespace seriesdb {

// Opens the reader of the kind that `answer` selects; the engine must outlive it.
Result<std::unique_ptr<JsonReader>> openQuestion(Engine& engine, const Napi::Value& value);

}  // namespace seriesdb
