// An index that lives as long as its holder; see pinned.h.
#pragma once

#include "common/base/pinned.h"

namespace seriesdb {

class SeriesIndex;

using PinnedIndex = Pinned<const SeriesIndex>;

}  // namespace seriesdb
