// Reads NativeExpression of src/storage/native/expression-contract.ts.
#pragma once

#include <napi.h>

#include <string>
#include <vector>

#include "common/base/status.h"
#include "query/expression/expression.h"
#include "query/fold/aggregate_plan.h"

namespace seriesdb {

// Returns an empty expression for null. Columns must have `seriesCount` values.
Result<Expression> readExpression(const Napi::Value& value, std::size_t seriesCount);

// Reads a NativeKeyColumn: the values of a key for `seriesCount` series.
Result<KeyValues> readKeyColumn(const Napi::Object& object, std::size_t seriesCount);
// Reads NativePackedTexts; empty for null. Sets `isText` if it is not null.
Status readKeyTexts(const Napi::Value& value, std::vector<std::string>& texts, bool& isText);

}  // namespace seriesdb
