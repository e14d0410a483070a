// Merges series that an older version stored with an empty label value. A label with an empty value
// is no label, so another series may have the same labels otherwise.
#pragma once

#include "storage/engine/engine.h"

namespace seriesdb {

// Moves the samples of such series to the series without the label, with the durability of other
// samples. At equal times the sample of the target series stays. Returns when done. If a limit, a
// damaged segment or the disk prevents a move, the series stays until the next start. A partial
// move is repeated then, with the same result.
void renameEmptyLabels(Engine& engine);

}  // namespace seriesdb
