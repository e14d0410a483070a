// Migrates an older directory to the content-addressed description. Segments get the hash of their
// bytes as their name; tags in files of their own move into REFS.
//
//   not held       reads and hashes a segment, and gives its file a second name by hash
//   MANIFEST held  one edit notes a batch of hashes; then publishes a view with the new names
//   not            removes the old names after their last reader
//
// A crash may leave a file with two names. The next start removes the name that MANIFEST does not
// use.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "storage/compactor/task_watch.h"
#include "storage/ledger/manifest_holder.h"
#include "storage/state/engine_figures.h"
#include "storage/state/engine_settings.h"
#include "storage/state/sources.h"

namespace seriesdb {

// Called with the segments opened by their old names, which new readers no longer use.
using OnRenamed = std::function<void(std::vector<std::shared_ptr<const Segment>> before)>;

// kConfiguration if the database writes no commits.
Status checkMigratable(const EngineOptions& options);
// What a migration reads and changes. All must outlive it.
struct MigrationOwners {
  const EngineSettings& settings;
  Sources& sources;
  ManifestHolder& manifest;
  EngineFigures& figures;
};
// The finished part stays, also after a failure. Runs on the compactor's thread. Fails as
// checkMigratable() does; kClosed if `control` is cancelled.
Result<MigrationReport> migrate(const MigrationOwners& owners, TaskControl& control,
                                const OnRenamed& onRenamed);

}  // namespace seriesdb
