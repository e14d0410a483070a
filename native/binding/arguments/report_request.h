// The requests of src/storage/native/report-contract.ts.
#pragma once

#include <napi.h>

#include <memory>

#include "common/base/status.h"
#include "maintenance/inspection.h"
#include "maintenance/repair/repair_report.h"
#include "maintenance/undelete.h"
#include "query/answers/json_reader.h"

namespace seriesdb {

// The two that NativeRepairWishes has.
Result<RepairWishes> readRepairWishes(const Napi::Object& object);
// Of a question or a report: `report` and, or null, `number`.
Result<InspectionRequest> readInspection(const Napi::Object& object);
Result<std::unique_ptr<JsonReader>> readReport(const Napi::Value& value);
Result<UndeleteRequest> readUndelete(const Napi::Value& value);

}  // namespace seriesdb
