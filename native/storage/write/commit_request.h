// What the committer takes: samples, annotations and deletions; and the owners that it writes to.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "common/base/bytes.h"
#include "common/types/tombstone.h"
#include "format/annotation/annotation.h"
#include "storage/state/disk_room.h"
#include "storage/state/engine_figures.h"
#include "storage/state/engine_settings.h"
#include "storage/state/sources.h"
#include "storage/state/write_path.h"
#include "storage/write/write_values.h"

namespace seriesdb {

// An annotation to be written; the committer assigns its id.
struct AnnotationWrite {
  Annotation annotation;
  // Labels that the annotation to change must have; empty for a new one.
  OwnedLabels required;
  std::function<void(Result<Annotation>)> done;  // Called on the committer's thread.
};

// A deletion to be applied.
struct RemovalWrite {
  using Done = std::function<void(Result<std::shared_ptr<const Tombstone>>)>;

  // A few series, looked up by the committer; unknown ones are skipped. If empty, `payload` names
  // the series.
  std::vector<SeriesId> series;
  // The range is set. The refs come from `series` or are set, and the committer assigns the
  // sequence.
  Tombstone tombstone;
  ByteBuffer payload;   // The tombstone, encoded.
  // Required room for tombstones. For one part of a deletion, the room of all remaining parts.
  std::uint64_t room = 0;
  // Called on the committer's thread once reads show none of the samples. Null if no series
  // exists.
  Done done;
};

// A request to write samples, an annotation or a deletion.
struct CommitRequest {
  using Done = std::function<void(Result<IngestReport>)>;

  StagedSamples samples;
  std::uint64_t bytes = 0;  // Counted in Counters::requestBytes until it is done.
  Done done;                // Called on the committer's thread.
  // Set for an annotation; `done` is then not called.
  std::unique_ptr<AnnotationWrite> annotation;
  std::unique_ptr<RemovalWrite> removal;  // Set for a deletion; `done` is then not called.
  Status refused;                         // Set by the committer if it finds a limit or conflict.
  // Stores only the samples that keepMissing() leaves at the turn of the request.
  bool isOnlyMissing = false;
};

// All must outlive the committer.
struct CommitOwners {
  const EngineSettings& settings;
  Sources& sources;
  WritePath& writes;
  DiskRoom& room;
  EngineFigures& figures;
};

}  // namespace seriesdb
