#include "storage/ledger/ledger.h"

#include <algorithm>
#include <utility>

#include "common/types/file_names.h"
#include "format/manifest/manifest_edit.h"
#include "storage/ledger/set_aside.h"

namespace seriesdb {
namespace {

// The number of differences that a report lists by name.
constexpr std::size_t kDifferencesTold = 10;
constexpr int kOpenTries = 3;

std::string nameOf(const std::pair<LeafPlace, std::string>& difference) {
  const auto& [place, key] = difference;
  std::string name(1, static_cast<char>(place.section));
  if (place.section == static_cast<std::uint8_t>(TreeSectionId::kDescriptors)) return name + key;
  if (place.section == static_cast<std::uint8_t>(TreeSectionId::kMeta)) return name + " " + key;
  std::uint64_t number = 0;
  for (const char one : key) number = number << 8 | static_cast<std::uint8_t>(one);
  return name + std::to_string(number);
}

CommitReason reasonOf(const ManifestEdit& edit) {
  if (edit.isBeforeRemoval) return CommitReason::kDelete;
  if (edit.flushedSequence != 0) return CommitReason::kFlush;
  if (!edit.hashed.empty()) return CommitReason::kMigrate;
  if (!edit.added.empty() || !edit.removed.empty() || !edit.raised.empty()) {
    return CommitReason::kCompact;
  }
  if (edit.retentionClock) return CommitReason::kRetention;
  return edit.tombstones.empty() ? CommitReason::kRepair : CommitReason::kDelete;
}

}  // namespace

Ledger::Ledger(Surroundings surroundings)
    : to_(std::move(surroundings)), past_(to_, head_), writer_(to_, head_, past_) {}

Status Ledger::create() {
  auto manifest = Manifest::create(to_.fs, to_.directory);
  if (!manifest.ok()) return manifest.status();
  manifest_ = std::move(manifest).value();
  state_ = manifest_->state();
  if (Status opened = openRefs(); !opened.ok()) return opened;
  // A new database never had a REFS.
  refsStart_.isMissing = false;
  refsStart_.isCut = false;
  head_.isBehind = to_.isDual();
  return {};
}

Status Ledger::open() {
  if (to_.past.isAny()) return openPast();
  if (Status opened = openRefs(); !opened.ok()) return opened;
  if (Status opened = openManifest(); !opened.ok()) return opened;
  past_.pins().read(*head_.refs, to_.fs, to_.directory);
  past_.openHistory(state_);
  return {};
}

// Opens a past state. Reading removes no files, so pins and history are not needed. REFS of an open
// database may be replaced between two reads, so a held state is tried kOpenTries times.
Status Ledger::openPast() {
  Status opened;
  for (int tries = to_.held ? kOpenTries : 1; tries > 0; --tries) {
    opened = openRefs();
    if (opened.code() != StatusCode::kStorageCorrupt) break;
  }
  past_.forgetHistory();
  return opened.ok() ? openManifest() : opened;
}

Status Ledger::openRefs() {
  const auto isThere = to_.fs.exists(refsPath());
  if (!isThere.ok()) return isThere.status();
  refsStart_.isMissing = !isThere.value();
  auto refs = RefsLog::open(to_.fs, to_.directory);
  const bool isPrimary = to_.readMode == MetadataReadMode::kPrimary && to_.isDual();
  if (!refs.ok()) {
    if (refs.status().code() != StatusCode::kStorageCorrupt || isPrimary) return refs.status();
    refsStart_.isDamaged = true;
    past_.pins().lose();
    head_.problem = refs.status().message();
    head_.refs = RefsLog::none(to_.fs, to_.directory);
    return {};
  }
  head_.refs = std::move(refs).value();
  const auto head = chooseCommit();
  if (!head.ok()) return head.status();
  if (head.value() == Sha256{}) return {};
  head_.id = head.value();
  Status loaded = loadHead(head_.id);
  if (loaded.ok()) return {};
  const bool isLater = loaded.code() == StatusCode::kConfiguration;
  if (isPrimary || isLater) return Status(loaded.code(), refsPath() + ": " + loaded.message());
  head_.isTreeLost = true;
  head_.problem = loaded.message();
  return {};
}

// The commit to open: the head, or the one that `past` asks for.
Result<Sha256> Ledger::chooseCommit() {
  if (to_.held) return to_.held->commit;
  const Sha256 head = head_.refs->target(kHeadRef);
  if (!to_.past.isAny()) return head;
  const bool isOfHistory = to_.past.edit || to_.past.timeMs;
  if (isOfHistory && head != Sha256{}) {
    head_.id = head;
    if (Status loaded = loadHead(head); !loaded.ok()) return loaded;
    past_.readHistory();
  }
  return past_.find(to_.past);
}

Status Ledger::loadHead(const Sha256& head) {
  const auto bytes = head_.refs->read(head);
  if (!bytes.ok()) return bytes.status();
  const auto commit = parseCommit(bytes.value());
  if (!commit.ok()) return commit.status();
  head_.commit = commit.value();
  otherEdit_ = head_.commit.edit;
  auto tree = ObjectTree::load(commit.value().root, *head_.refs);
  if (!tree.ok()) return tree.status();
  head_.tree = std::move(tree).value();
  to_.figures.walNamedFrom = commit.value().walFloor;
  to_.figures.walNamedTo = commit.value().walEnd;
  return {};
}

// True if MANIFEST has an edit after the last one in REFS. Either REFS got the edit first and lost
// its end, so that files may already be removed. Or MANIFEST decided because REFS could not be
// written. A stale MANIFEST has a lower number.
bool Ledger::isRefsShort(const Result<std::unique_ptr<Manifest>>& manifest) const {
  return manifest.ok() && manifest.value()->state().editNumber > otherEdit_;
}

Status Ledger::openManifest() {
  auto manifest = !to_.past.isAny()
                      ? Manifest::open(to_.fs, to_.directory)
                      : Status(StatusCode::kClosed, "it knows the last state only");
  // A later version wrote it.
  if (manifest.status().code() == StatusCode::kConfiguration) return manifest.status();
  // If MANIFEST is written first, a crash between the two writes leaves REFS one edit behind.
  const std::uint64_t known = otherEdit_ + kManifestFirstStep;
  refsStart_.isCut = to_.isDual() && manifest.ok() && manifest.value()->state().editNumber > known;
  refsStart_.hadHead = head_.exists();
  if (writer_.isDeciding() && !isRefsShort(manifest)) {
    auto state = stateIn(head_.tree, *head_.refs);
    if (!state.ok()) {
      return Status(state.status().code(), refsPath() + ": " + state.status().message());
    }
    state_ = std::move(state).value();
    state_.editNumber = otherEdit_;
    writer_.setSeriesCount(state_.seriesCount);
    isFromCommit_ = true;
    isManifestBehind_ = !manifest.ok() || manifest.value()->state().editNumber != otherEdit_;
    manifestProblem_ = manifest.ok() ? "its edit number differs" : manifest.status().message();
    if (manifest.ok()) {
      otherEdit_ = manifest.value()->state().editNumber;
      manifest_ = std::move(manifest).value();
    }
    return {};
  }
  if (!manifest.ok()) return manifest.status();
  manifest_ = std::move(manifest).value();
  state_ = manifest_->state();
  const bool fits = head_.exists() && !head_.isTreeLost && otherEdit_ == state_.editNumber;
  head_.isBehind = (to_.isDual() && !fits) || (head_.exists() && !fits);
  head_.isTreeLost = to_.isDual() && !fits;
  writer_.setSeriesCount(state_.seriesCount);
  if (head_.problem.empty()) head_.problem = "its edit number differs";
  return {};
}

Status Ledger::restore(SeriesIndex& index, AnnotationIndex& annotations) const {
  Status restored = restoreIndex(head_.tree, *head_.refs, state_.seriesCount, index);
  if (restored.ok()) restored = restoreAnnotations(head_.tree, *head_.refs, annotations);
  if (restored.ok() && annotations.count() != state_.annotationCount) {
    restored = Status::corrupt("the annotation count of the tree does not match its annotations");
  }
  if (restored.ok()) return {};
  return {restored.code(), refsPath() + ": " + restored.message()};
}

// Runs before the WAL is replayed, because replayed entries cannot be told from entries of the
// files.
Status Ledger::compare() {
  noteDebt();
  noteMemory();
  past_.countTags();
  if (isFromCommit_) return {};
  const auto index = to_.sources.index.current();
  const std::uint32_t known = index->createdCount();
  if (known < state_.seriesCount) {
    return Status::corrupt(file_names::join(to_.directory, file_names::kCatalog) + " holds " +
                           std::to_string(known) + " series of " +
                           std::to_string(state_.seriesCount));
  }
  const bool isShadow = to_.readMode == MetadataReadMode::kShadow;
  if (!to_.isDual() || (!head_.isTreeLost && !isShadow)) return {};
  ManifestState state = state_;
  // Only older versions flushed without noting the series count.
  if (state.seriesCount == 0 && state.flushedSequence != 0) {
    state.seriesCount = known;
    settling_.seriesCount = state.seriesCount;
  }
  const auto whole = writer_.wholeEdit(state);
  if (!whole.ok()) return whole.status();
  auto change = ObjectTree().prepare(whole.value(), *head_.refs);
  if (!change.ok()) return change.status();
  ObjectTree built;
  built.adopt(change.value());
  const bool isDue = head_.isTreeLost;
  if (!isDue && built.root() == head_.tree.root()) return {};
  writer_.keepUnsaved(change.value().objects);
  if (!isDue) {
    const Status noted = visitDifferences(
        built, head_.tree, writer_.objects(), [this](LeafPlace place, std::string_view key) {
          differences_.emplace_back(place, std::string(key));
        });
    if (!noted.ok()) differences_.push_back({LeafPlace{0, 0}, noted.message()});
  }
  head_.tree = std::move(built);
  writer_.setSeriesCount(state.seriesCount);
  head_.isTreeLost = false;
  head_.isBehind = true;
  return {};
}

// CATALOG may have descriptors that the commit lacks, if the WAL has them too: they were about to
// be committed. A series without samples may be gone from one description and not yet from the
// other.
std::string Ledger::tellDifferences(Descriptors pending) {
  const auto index = to_.sources.index.current();
  std::unordered_set<std::string_view> awaited;
  for (const auto& one : pending) awaited.insert(one.first);
  std::erase_if(differences_, [&](const auto& one) {
    const auto& [place, key] = one;
    if (place.section == static_cast<std::uint8_t>(TreeSectionId::kSeries)) {
      const std::uint64_t ref = seriesKey(key);
      return ref < index->createdCount() && !index->boundsOf(static_cast<SeriesRef>(ref));
    }
    return place.section == static_cast<std::uint8_t>(TreeSectionId::kDescriptors) &&
           awaited.contains(descriptorKey(key).first);
  });
  if (differences_.empty()) return {};
  to_.figures.shadowMismatches.fetch_add(differences_.size(), std::memory_order_relaxed);
  std::string told = "MANIFEST, CATALOG and ANNOTATIONS differ from the commit in " +
                     std::to_string(differences_.size()) + " entries:";
  for (std::size_t i = 0; i < std::min(kDifferencesTold, differences_.size()); ++i) {
    told += " " + nameOf(differences_[i]);
  }
  differences_.clear();
  return told;
}

Result<std::string> Ledger::settle(Descriptors pending) {
  std::string told = tellDifferences(pending);
  if (isFromCommit_ && isManifestBehind_) {
    auto manifest = Manifest::replace(to_.fs, to_.directory, state_);
    isManifestBehind_ = !manifest.ok();
    manifestProblem_ = manifest.status().message();
    if (manifest.ok()) manifest_ = std::move(manifest).value();
  }
  const auto tell = [&told](const std::string& more) {
    if (!told.empty() && !more.empty()) told += "; ";
    told += more;
  };
  if (refsStart_.isDamaged) {
    const auto aside = setAside(to_.fs, to_.directory, std::string(file_names::kRefs));
    if (!aside.ok()) return aside.status();
    tell(head_.problem + "; it was moved to " + aside.value() +
         ": snapshot names are lost, and no segment is removed until the next start");
    refsStart_.isDamaged = false;
  }
  tell(past_.pins().problem());
  if (!to_.isDual()) return told;
  if (!isFromCommit_ && head_.isBehind) {
    const Status settled = apply(settling_);
    const bool isFull = settled.code() == StatusCode::kStorageUnavailable;
    if (!settled.ok() && !isFull) return settled;
  }
  noteDebt();
  noteMemory();
  return told;
}

const Status& Ledger::failure() const {
  return writer_.isDeciding() ? head_.refs->failure() : manifest_->failure();
}

std::string Ledger::decidingFile() const {
  return std::string(writer_.isDeciding() ? file_names::kRefs : file_names::kManifest);
}

std::optional<std::uint64_t> Ledger::tornAt() const {
  if (writer_.isDeciding() || !manifest_) return std::nullopt;
  return manifest_->tornAt();
}

std::string Ledger::behindReason() const {
  if (isManifestBehind_) return "MANIFEST lacks the last edit: " + manifestProblem_;
  if (head_.isBehind && to_.isDual()) return "REFS lacks the last edit: " + head_.problem;
  return {};
}

void Ledger::forgetSeries(std::span<const SeriesRef> refs) {
  if (to_.isDual()) writer_.forget(refs);
}

Status Ledger::apply(ManifestEdit edit, Descriptors descriptors) {
  if (!failure().ok()) return failure();
  edit.number = std::max(state_.editNumber, otherEdit_) +
                (writer_.isDeciding() ? kRefsFirstStep : kManifestFirstStep);
  if (state_.seriesCount == 0) edit.seriesCount = std::max(edit.seriesCount, settling_.seriesCount);
  ManifestState next = state_;
  if (Status applied = applyEdit(next, edit); !applied.ok()) return applied;
  Status written = writer_.isDeciding() ? applyRefsFirst(edit, std::move(next), descriptors)
                                    : applyManifestFirst(edit, std::move(next), descriptors);
  if (!written.ok()) return written;
  if (past_.isUnread()) past_.openHistory(state_);
  past_.limitHistory(state_);
  if (to_.isDual()) writer_.rewriteWhenLarge();
  checkShadow();
  noteDebt();
  noteMemory();
  return written;
}

Status Ledger::applyRefsFirst(const ManifestEdit& edit, ManifestState next,
                              Descriptors descriptors) {
  bool isWhole = head_.isTreeLost;
  auto change = writer_.prepare(state_, next, descriptors);
  const StatusCode code = change.status().code();
  // If a part of the tree is unreadable on disk, it is rebuilt from memory.
  if (code == StatusCode::kIo || code == StatusCode::kStorageCorrupt) {
    isWhole = true;
    head_.isTreeLost = true;
    writer_.setUnreadable();
    change = writer_.prepare(state_, next, descriptors);
  }
  if (!change.ok()) return change.status();
  Status written = writer_.write(change.value(), {state_, next, reasonOf(edit), edit.timeMs});
  head_.isTreeLost = isWhole && !written.ok();
  if (!written.ok()) return written;
  writer_.adopt(change.value(), next.seriesCount);
  head_.isBehind = false;
  if (!isManifestBehind_) {
    const Status applied = manifest_->apply(edit);
    isManifestBehind_ = !applied.ok();
    manifestProblem_ = applied.message();
  } else {
    auto manifest = Manifest::replace(to_.fs, to_.directory, next);
    isManifestBehind_ = !manifest.ok();
    manifestProblem_ = manifest.status().message();
    if (manifest.ok()) manifest_ = std::move(manifest).value();
  }
  state_ = std::move(next);
  return {};
}

Status Ledger::applyManifestFirst(const ManifestEdit& edit, ManifestState next,
                                  Descriptors descriptors) {
  if (!to_.isDual() && head_.exists()) {
    if (Status dropped = writer_.dropHead(); !dropped.ok()) return dropped;
  }
  if (Status applied = manifest_->apply(edit); !applied.ok()) return applied;
  if (!to_.isDual()) {
    state_ = std::move(next);
    return {};
  }
  for (const SegmentFacts& facts : edit.added) uncommitted_.insert(facts.number);
  const auto change = writer_.prepare(state_, next, descriptors);
  Status written = change.status();
  if (change.ok()) {
    written = writer_.write(change.value(), {state_, next, reasonOf(edit), edit.timeMs});
    writer_.adopt(change.value(), next.seriesCount);
  } else {
    head_.isTreeLost = true;
  }
  if (change.ok() && !written.ok()) writer_.keepUnsaved(change.value().objects);
  head_.isBehind = !written.ok();
  head_.problem = written.message();
  if (written.ok()) uncommitted_.clear();
  state_ = std::move(next);
  return {};
}

// In shadow mode, compares the tree that edits made with a tree built from the state.
void Ledger::checkShadow() {
  if (to_.readMode != MetadataReadMode::kShadow || head_.isBehind) return;
  const auto whole = ObjectTree().prepare(manifestChange(ManifestState{}, state_), *head_.refs);
  if (!whole.ok()) return;
  ObjectTree built;
  built.adopt(whole.value());
  std::uint64_t found = 0;
  for (const LeafPlace place : built.differingLeaves(head_.tree)) {
    const TreeSectionId section{place.section};
    found += section == TreeSectionId::kSegments || section == TreeSectionId::kTombstones ||
                     section == TreeSectionId::kMeta
                 ? 1
                 : 0;
  }
  to_.figures.shadowMismatches.fetch_add(found, std::memory_order_relaxed);
}

void Ledger::noteDebt() {
  std::uint64_t debt = 0;
  for (const SegmentFacts& facts : state_.segments) {
    const bool isNamed =
        to_.isDual() && head_.exists() && facts.hash && !uncommitted_.contains(facts.number);
    if (!isNamed) ++debt;
  }
  to_.figures.legacySegments.store(debt, std::memory_order_relaxed);
}

// The factor 2 counts the manifest's own list of segments. View::tombstones counts the series of
// tombstones.
void Ledger::noteMemory() {
  std::uint64_t bytes = head_.tree.memoryBytes() + writer_.unsavedBytes() +
                        2 * state_.segments.capacity() * sizeof(SegmentFacts);
  if (head_.refs) bytes += head_.refs->memoryBytes() + past_.memoryBytes();
  to_.figures.memoryBytes.store(bytes, std::memory_order_relaxed);
}

std::string Ledger::refsPath() const { return file_names::join(to_.directory, file_names::kRefs); }

}  // namespace seriesdb
