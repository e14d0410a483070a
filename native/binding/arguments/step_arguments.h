// NativeStepQuery, NativeStepAnswer and NativeStepPrint of src/native/steps-contract.ts, read.
#pragma once

#include <napi.h>

#include "base/status.h"
#include "binding/batches/lent_arrays.h"
#include "steps/step_plan.h"
#include "steps/text/step_print.h"
#include "steps/text/table_print.h"

namespace seriesdb {

Result<StepLimits> readStepLimits(const Napi::Value& value);
// Keeps, as the last one does, what is not copied.
Result<StepPlan> readStepQuery(const Napi::Object& query, const StepLimits& limits,
                               LentArrays& lent);
// How the answer is printed; the grid is that of the query.
Result<TablePrintForm> readStepAnswer(const Napi::Object& answer, const StepGrid& grid);
Result<StepPrint> readStepPrint(const Napi::Value& value, LentArrays& lent);

}  // namespace seriesdb
