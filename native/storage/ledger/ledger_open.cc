// The ledger's start: which description decides, and how the other is brought to its state.
#include <algorithm>

#include "common/types/file_names.h"
#include "storage/ledger/ledger.h"
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

}  // namespace

std::string Ledger::refsPath() const { return file_names::join(to_.directory, file_names::kRefs); }

Status Ledger::create() {
  auto manifest = Manifest::create(to_.fs, to_.directory);
  if (!manifest.ok()) return manifest.status();
  manifest_ = std::move(manifest).value();
  state_ = manifest_->state();
  if (Status opened = openRefs(); !opened.ok()) return opened;
  // A new database never had a REFS.
  refsStart_.isMissing = false;
  refsStart_.isCut = false;
  isRefsBehind_ = isDual();
  return {};
}

Status Ledger::open() {
  if (to_.past.isAny()) return openPast();
  if (Status opened = openRefs(); !opened.ok()) return opened;
  if (Status opened = openManifest(); !opened.ok()) return opened;
  pins_.read(*refs_, to_.fs, to_.directory);
  openHistory();
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
  history_ = {};
  return opened.ok() ? openManifest() : opened;
}

Status Ledger::openRefs() {
  const auto isThere = to_.fs.exists(refsPath());
  if (!isThere.ok()) return isThere.status();
  refsStart_.isMissing = !isThere.value();
  auto refs = RefsLog::open(to_.fs, to_.directory);
  const bool isPrimary = to_.readMode == MetadataReadMode::kPrimary && isDual();
  if (!refs.ok()) {
    if (refs.status().code() != StatusCode::kStorageCorrupt || isPrimary) return refs.status();
    refsStart_.isDamaged = true;
    pins_.lose();
    refsProblem_ = refs.status().message();
    refs_ = RefsLog::none(to_.fs, to_.directory);
    return {};
  }
  refs_ = std::move(refs).value();
  const auto head = chooseCommit();
  if (!head.ok()) return head.status();
  if (head.value() == Sha256{}) return {};
  head_ = head.value();
  Status loaded = loadHead(head_);
  if (loaded.ok()) return {};
  const bool isLater = loaded.code() == StatusCode::kConfiguration;
  if (isPrimary || isLater) return Status(loaded.code(), refsPath() + ": " + loaded.message());
  isTreeLost_ = true;
  refsProblem_ = loaded.message();
  return {};
}

Status Ledger::loadHead(const Sha256& head) {
  const auto bytes = refs_->read(head);
  if (!bytes.ok()) return bytes.status();
  const auto commit = parseCommit(bytes.value());
  if (!commit.ok()) return commit.status();
  headCommit_ = commit.value();
  otherEdit_ = headCommit_.edit;
  auto tree = ObjectTree::load(commit.value().root, *refs_);
  if (!tree.ok()) return tree.status();
  tree_ = std::move(tree).value();
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
  refsStart_.isCut = isDual() && manifest.ok() && manifest.value()->state().editNumber > known;
  refsStart_.hadHead = hasHead();
  if (isRefsDeciding() && !isRefsShort(manifest)) {
    auto state = stateIn(tree_, *refs_);
    if (!state.ok()) {
      return Status(state.status().code(), refsPath() + ": " + state.status().message());
    }
    state_ = std::move(state).value();
    state_.editNumber = otherEdit_;
    treeSeriesCount_ = state_.seriesCount;
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
  const bool fits = hasHead() && !isTreeLost_ && otherEdit_ == state_.editNumber;
  isRefsBehind_ = (isDual() && !fits) || (hasHead() && !fits);
  isTreeLost_ = isDual() && !fits;
  treeSeriesCount_ = state_.seriesCount;
  if (refsProblem_.empty()) refsProblem_ = "its edit number differs";
  return {};
}

Status Ledger::restore(SeriesIndex& index, AnnotationIndex& annotations) const {
  Status restored = restoreIndex(tree_, *refs_, state_.seriesCount, index);
  if (restored.ok()) restored = restoreAnnotations(tree_, *refs_, annotations);
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
  countTags();
  if (isFromCommit_) return {};
  const auto index = to_.sources.index.current();
  const std::uint32_t known = index->createdCount();
  if (known < state_.seriesCount) {
    return Status::corrupt(file_names::join(to_.directory, file_names::kCatalog) + " holds " +
                           std::to_string(known) + " series of " +
                           std::to_string(state_.seriesCount));
  }
  const bool isShadow = to_.readMode == MetadataReadMode::kShadow;
  if (!isDual() || (!isTreeLost_ && !isShadow)) return {};
  ManifestState state = state_;
  // Only older versions flushed without noting the series count.
  if (state.seriesCount == 0 && state.flushedSequence != 0) {
    state.seriesCount = known;
    settling_.seriesCount = state.seriesCount;
  }
  const auto whole = wholeEdit(state);
  if (!whole.ok()) return whole.status();
  auto change = ObjectTree().prepare(whole.value(), *refs_);
  if (!change.ok()) return change.status();
  ObjectTree built;
  built.adopt(change.value());
  const bool isDue = isTreeLost_;
  if (!isDue && built.root() == tree_.root()) return {};
  for (const NewObject& one : change.value().objects) unsaved_[one.id] = one.bytes;
  if (!isDue) {
    const Status noted = visitDifferences(
        built, tree_, Objects(*this), [this](LeafPlace place, std::string_view key) {
          differences_.emplace_back(place, std::string(key));
        });
    if (!noted.ok()) differences_.push_back({LeafPlace{0, 0}, noted.message()});
  }
  tree_ = std::move(built);
  treeSeriesCount_ = state.seriesCount;
  isTreeLost_ = false;
  isRefsBehind_ = true;
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
    tell(refsProblem_ + "; it was moved to " + aside.value() +
         ": snapshot names are lost, and no segment is removed until the next start");
    refsStart_.isDamaged = false;
  }
  tell(pins_.problem());
  if (!isDual()) return told;
  if (!isFromCommit_ && isRefsBehind_) {
    const Status settled = apply(settling_);
    const bool isFull = settled.code() == StatusCode::kStorageUnavailable;
    if (!settled.ok() && !isFull) return settled;
  }
  noteDebt();
  noteMemory();
  return told;
}

}  // namespace seriesdb
