// What the compactor does besides merging, for who asks: it is the one that removes files.
#include <algorithm>
#include <utility>

#include "engine/compactor.h"
#include "engine/publication.h"

namespace seriesdb {

// Answers those that ask for something else than a compaction, and takes them out.
void Compactor::doTasks(std::vector<Asked>& asked) {
  const auto isOther = [](const Asked& one) { return !one.task; };
  const auto first = std::stable_partition(asked.begin(), asked.end(), isOther);
  for (auto one = first; one != asked.end(); ++one) one->task({});
  asked.erase(first, asked.end());
}

void Compactor::migrateAll(Migrated done) {
  ask({{}, false, [this, done = std::move(done)](const Status& isOpen) {
         done(isOpen.ok() ? migrateNow() : Result<MigrationReport>(isOpen));
       }});
}

Result<MigrationReport> Compactor::migrateNow() {
  auto report = migrate(state_, isStopping_, [this](auto before) {
    for (const auto& segment : before) gone_.push_back({segment, segment->facts()});
    before.clear();
    removeGone();
  });
  removeGone();
  return report;
}

void Compactor::addTag(std::string name, Tagged done) {
  ask({{}, false, [this, name = std::move(name), done = std::move(done)](const Status& isOpen) {
         done(isOpen.ok() ? addTagNow(name) : isOpen);
       }});
}

Status Compactor::addTagNow(const std::string& name) {
  const auto manifest = state_.manifest.hold();
  if (manifest->isBehind()) {
    if (Status recorded = recordEdit(state_, manifest, {}); !recorded.ok()) return recorded;
  }
  Status added = manifest->addTag(name);
  reportLedger(state_, manifest);
  return added;
}

void Compactor::removeTag(std::string name, Tagged done) {
  ask({{}, false, [this, name = std::move(name), done = std::move(done)](const Status& isOpen) {
         done(isOpen.ok() ? removeTagNow(name) : isOpen);
       }});
}

// A reader that still has one of the segments is known from when it was merged.
Status Compactor::removeTagNow(const std::string& name) {
  {
    const auto manifest = state_.manifest.hold();
    const auto freed = manifest->removeTag(name);
    reportLedger(state_, manifest);
    if (!freed.ok()) return freed.status();
    for (const SegmentFacts& facts : freed.value()) {
      const auto isSame = [&facts](const Gone& one) { return one.facts.hash == facts.hash; };
      if (std::ranges::none_of(gone_, isSame)) gone_.push_back({{}, facts});
    }
  }
  removeGone();
  return {};
}

Result<CommittedFiles> Compactor::holdFiles() {
  const auto manifest = state_.manifest.hold();
  auto files = manifest->committedFiles();
  reportLedger(state_, manifest);
  if (!files.ok()) return files.status();
  std::shared_ptr<const int> hold = hold_.lock();
  if (!hold) hold = std::make_shared<const int>();
  hold_ = hold;
  files.value().hold = std::move(hold);
  return files;
}

}  // namespace seriesdb
