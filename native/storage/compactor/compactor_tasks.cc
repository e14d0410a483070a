// Requests to the compactor other than merges. It serves them because it alone removes files.
#include <algorithm>
#include <utility>

#include "storage/compactor/compactor.h"
#include "storage/compactor/publication.h"

namespace seriesdb {

// Serves all requests other than compactions, and removes them from `asked`.
void Compactor::doTasks(std::vector<Asked>& asked) {
  const auto isOther = [](const Asked& one) { return !one.task; };
  const auto first = std::stable_partition(asked.begin(), asked.end(), isOther);
  for (auto one = first; one != asked.end(); ++one) one->task({});
  asked.erase(first, asked.end());
}

void Compactor::migrateAll(Migrated done, Watch watch) {
  const auto task = [this, watch, done = std::move(done)](const Status& isOpen) {
    done(isOpen.ok() ? migrateNow(watch) : Result<MigrationReport>(isOpen));
  };
  ask({{}, false, watch, task});
}

Result<MigrationReport> Compactor::migrateNow(const Watch& watch) {
  control_.begin({watch});
  const auto onRenamed = [this](auto before) {
    {
      const auto manifest = description_.manifest.hold();
      for (const auto& segment : before) noteGone(segment, segment->facts());
    }
    before.clear();
    removeGone();
  };
  auto report =
      migrate({settings_, sources_, description_.manifest, figures_}, control_, onRenamed);
  removeGone();
  return report;
}

Status Compactor::addTag(const std::string& name) {
  const auto manifest = description_.manifest.hold();
  if (manifest->isBehind()) {
    const Status recorded = recordEdit(figures_.health, manifest, {});
    if (!recorded.ok()) return recorded;
  }
  Status added = manifest->addTag(name);
  reportLedger(figures_.health, manifest);
  return added;
}

Status Compactor::removeTag(const std::string& name) {
  {
    const auto manifest = description_.manifest.hold();
    const auto freed = manifest->removeTag(name);
    reportLedger(figures_.health, manifest);
    if (!freed.ok()) return freed.status();
    noteFreed(freed.value());
  }
  removeGone();
  return {};
}

// REQUIRES: MANIFEST is held.
void Compactor::noteGone(const std::shared_ptr<const Segment>& segment,
                         const SegmentFacts& facts) {
  gone_.push_back({segment, facts});
  isAnyGone_ = true;
}

// A segment with readers is already listed since its merge. REQUIRES: MANIFEST is held.
void Compactor::noteFreed(const std::vector<SegmentFacts>& freed) {
  for (const SegmentFacts& facts : freed) {
    const auto isSame = [&facts](const Gone& one) { return one.facts.hash == facts.hash; };
    if (std::ranges::none_of(gone_, isSame)) noteGone({}, facts);
  }
}

Result<std::shared_ptr<const HeldCommit>> Compactor::hold(const PastState& past) {
  const auto manifest = description_.manifest.hold();
  auto held = manifest->hold(past);
  reportLedger(figures_.health, manifest);
  return held;
}

// If a flush lacks disk space, all of history and unadopted segments give up theirs.
void Compactor::trimHistory() {
  if (settings_.options.isReadOnly) return;
  const auto free = settings_.fs.freeBytes(settings_.options.directory);
  const bool isShort = room_.reserve.isOut() || figures_.health.isReported("flush") ||
                       (free.ok() && free.value() < settings_.options.reserveBytes);
  if (isShort) dropUnadopted();
  const auto manifest = description_.manifest.hold();
  noteFreed(manifest->trimHistory(isShort));
  historyDueMs_ = manifest->historyDueMs();
}

// Frees disk space for a merge. False if there is no history.
bool Compactor::dropHistory() {
  const auto manifest = description_.manifest.hold();
  if (manifest->history().commits().empty()) return false;
  noteFreed(manifest->trimHistory(true));
  return true;
}

// Returns the number of removed files. Files that a description on disk may still name stay for
// now; tagged files stay for good.
std::size_t Compactor::removeGone() {
  if (!isAnyGone_) return 0;
  std::vector<SegmentFacts> removed;
  {
    const auto manifest = description_.manifest.hold();
    if (manifest->isBehind() || !hold_.expired()) return 0;
    std::erase_if(gone_, [&](const Gone& one) {
      if (!one.segment.expired() || manifest->isHeld(one.facts)) return false;
      if (!manifest->isPinned(one.facts)) removed.push_back(one.facts);
      return true;
    });
    isAnyGone_ = !gone_.empty();
  }
  removeSegmentFiles(settings_, removed);
  return removed.size();
}

Result<CommittedFiles> Compactor::holdFiles() {
  const auto manifest = description_.manifest.hold();
  auto files = manifest->committedFiles();
  reportLedger(figures_.health, manifest);
  if (!files.ok()) return files.status();
  std::shared_ptr<const int> hold = hold_.lock();
  if (!hold) hold = std::make_shared<const int>();
  hold_ = hold;
  files.value().hold = std::move(hold);
  return files;
}

}  // namespace seriesdb
