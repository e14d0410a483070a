// Opens the ledger of a database during recovery.
#pragma once

#include <memory>

#include "common/base/status.h"
#include "index/logged_descriptors.h"
#include "storage/engine/flush_logs.h"
#include "storage/ledger/manifest_holder.h"
#include "storage/state/engine_figures.h"
#include "storage/state/engine_settings.h"
#include "storage/state/health.h"
#include "storage/state/sources.h"

namespace seriesdb {

// The ledger of the directory, neither created nor opened yet. All arguments must outlive it.
std::unique_ptr<Ledger> ledgerOf(const EngineSettings& settings, const Sources& sources,
                                 EngineFigures& figures);

// Makes MANIFEST and REFS agree. `logged` are the descriptors from the WAL.
Status settleLedger(const EngineSettings& settings, const ManifestHolder::Held& manifest,
                    const LoggedDescriptors& logged, Health& health);
// Completes CATALOG and ANNOTATIONS. REQUIRES: settleLedger() succeeded, and `manifest` was held
// since then.
Status settleLogs(const EngineSettings& settings, const Sources& sources,
                  const ManifestHolder::Held& manifest, FlushLogs& logs);

}  // namespace seriesdb
