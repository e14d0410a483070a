#include "storage/engine/ledger_opening.h"

#include <string>
#include <utility>

#include "common/types/file_names.h"

namespace seriesdb {

std::unique_ptr<Ledger> ledgerOf(EngineState& state) {
  return std::make_unique<Ledger>(Ledger::Surroundings{
      state.fs,
      state.options.directory,
      state.options.casMode,
      state.options.metadataReadMode,
      state.options,
      state.options.held,
      {state.index, state.annotations},
      *state.options.time,
      state.historyKeepMs,
      state.options.historyBytesMin,
      state.counters.walNumber,
      state.ledgerFigures,
  });
}

Status settleLedger(EngineState& state) {
  const auto manifest = state.manifest.hold();
  if (manifest->refsStart().isHeadOld()) {
    state.health.report("refs", state.path(file_names::kRefs) + " " +
                                    std::string(manifest->refsStart().loss()) +
                                    ": rebuilt from MANIFEST, without its " + "snapshots");
  }
  const auto told = manifest->settle(state.activeDescriptors.all());
  if (!told.ok()) return told.status();
  // Reported once: a second try after a full disk has no message.
  if (!told.value().empty()) state.health.report("commits", told.value());
  state.health.report("ledger", manifest->behindReason());
  const auto seriesCount = static_cast<std::uint32_t>(manifest->state().seriesCount);
  if (state.catalog == nullptr) {
    const auto index = state.index.current();
    auto catalog = Catalog::replace(state.fs, state.options.directory, *index, seriesCount);
    if (!catalog.ok()) return catalog.status();
    state.catalog = std::move(catalog).value();
  }
  if (!manifest->isFromCommit()) return {};
  return state.annotationLog.append(state.annotations, manifest->state().annotationCount);
}

}  // namespace seriesdb
