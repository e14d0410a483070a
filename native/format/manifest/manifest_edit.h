// Applies an edit of MANIFEST to the state.
#pragma once

#include "common/base/status.h"
#include "format/manifest/manifest.h"

namespace seriesdb {

// Applies the edit to the state. If the edit adds an existing number, removes a missing one, or
// lowers a floor: kInvalidArgument; the caller must then discard the state.
Status applyEdit(ManifestState& state, const ManifestEdit& edit);

}  // namespace seriesdb
