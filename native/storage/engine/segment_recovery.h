// Opens the segments of a database during recovery, and updates the time bounds of series.
#pragma once

#include "common/base/status.h"
#include "index/index_holder.h"
#include "storage/ledger/manifest_holder.h"
#include "storage/state/engine_settings.h"
#include "storage/state/health.h"
#include "storage/state/sources.h"
#include "storage/view/view.h"

namespace seriesdb {

// Opens all segments that MANIFEST names, and puts them and its tombstones into the view.
//
// A damaged segment stays in place: other segments are served, and queries of its time
// range fail. If file descriptors run out, the segment may be intact, so the start
// fails.
Status openSegments(const EngineSettings& settings, Sources& sources,
                    ManifestHolder& manifestHolder, Health& health);

// Call after the replay: chunk directories and WAL records include samples that were deleted later.
void narrowBounds(const ViewHolder& viewHolder, const IndexHolder& indexHolder);

}  // namespace seriesdb
