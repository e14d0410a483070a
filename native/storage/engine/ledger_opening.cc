#include "storage/engine/ledger_opening.h"

#include <string>
#include <utility>

#include "common/types/file_names.h"

namespace seriesdb {

std::unique_ptr<Ledger> ledgerOf(const EngineSettings& settings, const Sources& sources,
                                 EngineFigures& figures) {
  return std::make_unique<Ledger>(Ledger::Surroundings{
      settings.fs,
      settings.options.directory,
      settings.options.casMode,
      settings.options.metadataReadMode,
      settings.options,
      settings.options.held,
      {sources.index, sources.annotations},
      *settings.options.time,
      settings.historyKeepMs,
      settings.options.historyBytesMin,
      figures.counters.walNumber,
      figures.ledger,
  });
}

Status settleLedger(const EngineSettings& settings, const ManifestHolder::Held& manifest,
                    const LoggedDescriptors& logged, Health& health) {
  if (manifest->refsStart().isHeadOld()) {
    health.report("refs", settings.path(file_names::kRefs) + " " +
                              std::string(manifest->refsStart().loss()) +
                              ": rebuilt from MANIFEST, without its " + "snapshots");
  }
  const auto told = manifest->settle(logged.all());
  if (!told.ok()) return told.status();
  // Reported once: a second try after a full disk has no message.
  if (!told.value().empty()) health.report("commits", told.value());
  health.report("ledger", manifest->behindReason());
  return {};
}

Status settleLogs(const EngineSettings& settings, const Sources& sources,
                  const ManifestHolder::Held& manifest, FlushLogs& logs) {
  const auto seriesCount = static_cast<std::uint32_t>(manifest->state().seriesCount);
  if (logs.catalog == nullptr) {
    const auto index = sources.index.current();
    auto catalog = Catalog::replace(settings.fs, settings.options.directory, *index, seriesCount);
    if (!catalog.ok()) return catalog.status();
    logs.catalog = std::move(catalog).value();
  }
  if (!manifest->isFromCommit()) return {};
  return logs.annotationLog.append(sources.annotations, manifest->state().annotationCount);
}

}  // namespace seriesdb
