// Reads the requests of src/storage/native/report-contract.ts.
#pragma once

#include <napi.h>

#include <memory>

#include "common/base/status.h"
#include "maintenance/inspection.h"
#include "maintenance/repair/repair_report.h"
#include "maintenance/undelete.h"
#include "query/answers/json_reader.h"

namespace seriesdb {

// Reads the two properties of NativeRepairWishes.
Result<RepairWishes> readRepairWishes(const Napi::Object& object);
// Reads `report` and `number`, which may be null, of a question or a report.
Result<InspectionRequest> readInspection(const Napi::Object& object);
Result<std::unique_ptr<JsonReader>> readReport(const Napi::Value& value);
Result<UndeleteRequest> readUndelete(const Napi::Value& value);

}  // namespace seriesdb
