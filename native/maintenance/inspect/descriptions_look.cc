// Finds out which description of a database is intact, and which files must be rebuilt from it. One
// is MANIFEST with CATALOG and ANNOTATIONS, the other is REFS.
#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include "common/types/file_names.h"
#include "format/annotation/annotation_log.h"
#include "format/objects/loose_tags.h"
#include "format/segment/object_files.h"
#include "format/segment/segment_identity.h"
#include "index/catalog/catalog.h"
#include "maintenance/inspect/refs_reading.h"
#include "maintenance/inspect/repair_plan.h"
#include "storage/compaction/ladder.h"
#include "storage/ledger/state_tree.h"

namespace seriesdb {
namespace {

constexpr const char* kFromRefs = "rebuilt from REFS";
constexpr const char* kFromManifest =
    "rebuilt from MANIFEST, CATALOG and ANNOTATIONS; its snapshots and history are lost, and the "
    "next start removes the segments that only they need";
constexpr const char* kIsShort =
    "brought up to date; snapshots after its end are lost, and the next start removes segments "
    "that only they need";

class DescriptionsReader {
 public:
  DescriptionsReader(FileSystem& fs, const std::string& directory)
      : fs_(fs), directory_(directory), manifest_(readManifest(fs, directory)) {}

  Result<DescriptionsLook> run() {
    readHead();
    for (const Status& read : {manifest_.status(), refs_}) {
      if (isUndecided(read.code())) return read;
    }
    const bool isShort =
        head_ && manifest_.ok() && manifest_.value().state.editNumber > head_->commit.edit;
    if (manifest_.ok()) expected_ = manifest_.value().state;
    if (head_ && !isShort) expected_ = head_->state;
    if (Status read = readNames(); !read.ok()) return read;
    if (head_ && !isShort) {
      takeHead();
    } else if (manifest_.ok() && catalog_.ok() && annotations_.ok()) {
      takeManifest();
    } else {
      tellAll();
    }
    return std::move(look_);
  }

 private:
  bool isThere(std::string_view name) const {
    const auto exists = fs_.exists(file_names::join(directory_, name));
    return !exists.ok() || exists.value();
  }
  std::string path(std::string_view name) const { return file_names::join(directory_, name); }

  // Reads everything that the head names, so that no file is rebuilt from half a state.
  void readHead() {
    isRefsThere_ = isThere(file_names::kRefs);
    if (!isRefsThere_) return;
    const auto log = RefsLog::open(fs_, directory_);
    refs_ = log.status();
    if (!log.ok()) return;
    const auto& refs = log.value()->refs();
    const auto head = refs.find(kHeadRef);
    if (log.value()->report().validSize == 0) {
      // A crash during creation also leaves REFS without a header.
      isRefsThere_ = false;
      return;
    }
    if (head == refs.end()) {
      // Either no commit was confirmed, or all were lost; the file does not tell.
      if (!log.value()->report().hasTornTail) return;
      refs_ = Status::corrupt(path(file_names::kRefs) + " ends in a damaged record at offset " +
                              std::to_string(log.value()->report().validSize) +
                              ", and no commit is named before it");
      return;
    }
    isHeadThere_ = true;
    auto named = readNamed(head->second, *log.value());
    refs_ = named.status();
    if (!named.ok()) return;
    const auto index = SeriesIndex::make({});
    AnnotationIndex annotations;
    refs_ = restoreIndex(named.value().tree, *log.value(), named.value().state.seriesCount, *index);
    if (refs_.ok()) refs_ = restoreAnnotations(named.value().tree, *log.value(), annotations);
    if (refs_.ok()) head_ = std::move(named).value();
  }

  Status readNames() {
    if (!isThere(file_names::kCatalog)) {
      catalog_ = Status::corrupt(path(file_names::kCatalog) + " is missing");
    } else {
      std::uint64_t count = 0;
      catalog_ = readCatalog(fs_, directory_,
                             {[&count](const SeriesDefinition& one) {
                                count = std::max<std::uint64_t>(count, std::uint64_t{one.ref} + 1);
                                return Status();
                              },
                              [](const std::string&, const Descriptor&) { return Status(); },
                              [&count](std::uint32_t end) {
                                count = std::max<std::uint64_t>(count, end);
                                return Status();
                              }})
                     .status();
      if (catalog_.ok() && count < expected_.seriesCount) {
        catalog_ = Status::corrupt(path(file_names::kCatalog) + " holds " + std::to_string(count) +
                                   " series of " + std::to_string(expected_.seriesCount));
      }
    }
    std::uint64_t count = 0;
    annotations_ = readAnnotations(fs_, directory_, [&count](const Annotation& one) {
                     count = std::max(count, one.id);
                     return Status();
                   }).status();
    if (annotations_.ok() && count < expected_.annotationCount) {
      annotations_ =
          Status::corrupt(path(file_names::kAnnotations) + " holds " + std::to_string(count) +
                          " annotations of " + std::to_string(expected_.annotationCount));
    }
    if (isUndecided(catalog_.code())) return catalog_;
    return isUndecided(annotations_.code()) ? annotations_ : Status();
  }

  // Both descriptions have the same edit, except after a crash between them. The one behind may
  // still name files that the other no longer needs.
  void addBehind(std::string_view name) {
    Fault fault;
    fault.file = name;
    fault.problem = path(name) + " lacks the last edit";
    fault.action = "brought up to date";
    fault.remedy = Remedy::kOpening;
    look_.faults.push_back(std::move(fault));
  }

  void add(std::string_view name, const Status& problem, const char* action) {
    Fault fault;
    fault.file = name;
    const bool isFile = isThere(name);
    fault.problem = isFile ? problem.message() : path(name) + " is missing";
    fault.action = action;
    fault.remedy = isFile ? Remedy::kSetAside : Remedy::kOpening;
    look_.faults.push_back(std::move(fault));
  }

  void takeHead() {
    look_.opening = Opening{CasMode::kDualWrite, MetadataReadMode::kPrimary, head_->state};
    if (!manifest_.ok()) add(file_names::kManifest, manifest_.status(), kFromRefs);
    if (manifest_.ok() && manifest_.value().state.editNumber != head_->commit.edit) {
      addBehind(file_names::kManifest);
    }
    if (!catalog_.ok()) add(file_names::kCatalog, catalog_, kFromRefs);
    if (!annotations_.ok()) add(file_names::kAnnotations, annotations_, kFromRefs);
  }

  // True if REFS may have named something: a loose tag, or a segment file unknown to MANIFEST,
  // which a snapshot or history may need.
  bool isAnythingOfRefsThere() const {
    const auto tags = looseTagNames(fs_, directory_);
    if (!tags.ok() || !tags.value().empty()) return true;
    const auto files = objectFilesIn(fs_, directory_);
    if (!files.ok()) return true;
    std::unordered_set<std::string> named;
    for (const SegmentFacts& facts : manifest_.value().state.segments) {
      named.insert(segmentFileOf(facts));
    }
    return std::ranges::any_of(files.value(), [&named](const ObjectFile& one) {
      return one.hash && !named.contains(one.name);
    });
  }

  // A REFS without a head belongs to a database that writes no commits, where REFS may also be
  // missing. There is no REFS yet while edits are not numbered. Otherwise a missing REFS is a fault
  // if something exists that it may have named.
  void takeManifest() {
    const ManifestState& state = manifest_.value().state;
    const bool isMissing = !isRefsThere_ && state.editNumber > 0 && isAnythingOfRefsThere();
    const bool isWithout = refs_.ok() && !isHeadThere_ && !isMissing;
    look_.opening =
        Opening{isWithout ? CasMode::kOff : CasMode::kDualWrite, MetadataReadMode::kLegacy, state};
    if (isMissing && isThere(file_names::kRefs)) {
      refs_ = Status::corrupt(path(file_names::kRefs) + " has no header");
    }
    if (!refs_.ok() || isMissing) {
      add(file_names::kRefs, refs_, kFromManifest);
      look_.faults.back().isLoss = true;
    }
    if (!head_) return;
    look_.opening->readMode = MetadataReadMode::kPrimary;
    addBehind(file_names::kRefs);
    // A crash between both misses one edit, if MANIFEST had it first.
    if (state.editNumber <= head_->commit.edit + kManifestFirstStep) return;
    look_.faults.back().problem = path(file_names::kRefs) + " lacks the last edits";
    look_.faults.back().action = kIsShort;
    look_.faults.back().isLoss = true;
  }

  // Reports the faults when neither description is intact.
  void tellAll() {
    const auto tell = [this](std::string_view name, const Status& problem) {
      if (problem.ok()) return;
      add(name, problem,
          "none: both MANIFEST and REFS are damaged or incomplete; restore a backup");
      look_.faults.back().remedy = Remedy::kNone;
    };
    tell(file_names::kManifest, manifest_.status());
    tell(file_names::kCatalog, catalog_);
    tell(file_names::kAnnotations, annotations_);
    const Status missing = Status::corrupt(path(file_names::kRefs) + " names no commit");
    tell(file_names::kRefs, refs_.ok() ? missing : refs_);
  }

  FileSystem& fs_;
  const std::string& directory_;
  const Result<ManifestReading> manifest_;
  Status refs_;  // The result of reading the head, if there is one.
  Status catalog_;
  Status annotations_;
  bool isRefsThere_ = false;  // True if REFS exists with a header.
  bool isHeadThere_ = false;
  std::optional<NamedState> head_;
  ManifestState expected_;
  DescriptionsLook look_;
};

bool areTimesIn(const ManifestState& state, TimestampUnit unit, bool& isAnyTold) {
  for (const SegmentFacts& facts : state.segments) {
    if (!facts.place) continue;
    const auto of =
        std::ranges::find(state.classes, facts.place->classNumber, &CompactionClass::number);
    if (of == state.classes.end()) continue;
    for (const Timestamp ts : {facts.tsMin, facts.tsMax}) {
      if (leafSlotOf(*of, ts, unit) != facts.place->slot) return false;
    }
    isAnyTold = true;
  }
  return true;
}

}  // namespace

Result<DescriptionsLook> lookAtDescriptions(FileSystem& fs, const std::string& directory) {
  return DescriptionsReader(fs, directory).run();
}

std::optional<TimestampUnit> unitToldBy(const ManifestState& state) {
  std::optional<TimestampUnit> told;
  for (const TimestampUnit unit : {TimestampUnit::kSeconds, TimestampUnit::kMilliseconds,
                                   TimestampUnit::kMicroseconds, TimestampUnit::kNanoseconds}) {
    bool isAnyTold = false;
    if (!areTimesIn(state, unit, isAnyTold) || !isAnyTold) continue;
    if (told) return std::nullopt;
    told = unit;
  }
  return told;
}

}  // namespace seriesdb
