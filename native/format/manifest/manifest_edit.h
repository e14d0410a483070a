// What an edit of MANIFEST does to the state.
#pragma once

#include "common/base/status.h"
#include "format/manifest/manifest.h"

namespace seriesdb {

// Changes the state as the edit says. kInvalidArgument when the edit adds a number that is there,
// removes one that is not, or lowers a floor; the state is then to be thrown away.
Status applyEdit(ManifestState& state, const ManifestEdit& edit);

}  // namespace seriesdb
