// NativeQuestion of the contract: questions to an open database, answered in JSON.
#pragma once

#include <napi.h>

#include <memory>

#include "common/base/status.h"
#include "query/answers/json_reader.h"
#include "storage/engine/engine.h"

namespace seriesdb {

// Opens the reader of the answer; the engine must outlive it. The question's `answer` selects the
// kind.
Result<std::unique_ptr<JsonReader>> openQuestion(Engine& engine, const Napi::Value& value);

}  // namespace seriesdb
