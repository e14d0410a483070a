// A view that lives as long as its holder; see pinned.h.
#pragma once

#include "common/base/pinned.h"

namespace seriesdb {

struct View;

using PinnedView = Pinned<const View>;

}  // namespace seriesdb
