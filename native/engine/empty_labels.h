// Series that an older program stored with a label without a text. Such a label is none, so a
// second series may have the same labels otherwise: the two become one.
#pragma once

#include "engine/engine.h"

namespace seriesdb {

// Moves the samples of such series to those without the label, as durable as other samples. Of two
// samples at one time the one that stands there stays. Returns once that is done. A series stays as
// it is if a limit, a damaged segment or the disk is in the way, until the next start; one that was
// moved in part is moved again then, to the same end.
void renameEmptyLabels(Engine& engine);

}  // namespace seriesdb
