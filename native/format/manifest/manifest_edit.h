// Applies an edit of MANIFEST to the state.
#pragma once

#include "common/base/status.h"
#include "format/manifest/manifest.h"

namespace seriesdb {

// Applies the edit to the state. kInvalidArgument if it adds a number that exists, removes one that
// does not, or lowers a floor; the caller must then discard the state.
Status applyEdit(ManifestState& state, const ManifestEdit& edit);

}  // namespace seriesdb
