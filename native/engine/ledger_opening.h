// The ledger of a database that is being opened.
#pragma once

#include <memory>

#include "state/engine_state.h"

namespace seriesdb {

std::unique_ptr<Ledger> ledgerOf(EngineState& state);

// Both descriptions become one, and then CATALOG and ANNOTATIONS hold what it names.
Status settleLedger(EngineState& state);

}  // namespace seriesdb
