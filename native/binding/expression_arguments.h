// NativeExpression of src/native/expression-contract.ts, read.
#pragma once

#include <napi.h>

#include "base/status.h"
#include "query/expression.h"

namespace seriesdb {

// An empty expression for null. Columns must have `seriesCount` values.
Result<Expression> readExpression(const Napi::Value& value, std::size_t seriesCount);

}  // namespace seriesdb
