// Opens the ledger of a database during recovery.
#pragma once

#include <memory>

#include "storage/state/engine_state.h"

namespace seriesdb {

std::unique_ptr<Ledger> ledgerOf(EngineState& state);

// Makes MANIFEST and REFS agree, then completes CATALOG and ANNOTATIONS.
Status settleLedger(EngineState& state);

}  // namespace seriesdb
