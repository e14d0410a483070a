#include "maintenance/repair/repair.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "common/types/file_names.h"
#include "format/segment/object_files.h"
#include "maintenance/inspect/refs_reading.h"
#include "storage/engine/engine.h"
#include "storage/engine/engine_open.h"
#include "storage/ledger/root_file.h"
#include "storage/ledger/set_aside.h"
#include "storage/state/engine_options.h"

namespace seriesdb {

Repair::Repair(FileSystem& fs, std::string directory, RepairWishes wishes)
    : fs_(fs), directory_(std::move(directory)), wishes_(wishes) {}

Repair::~Repair() = default;

std::string Repair::path(std::string_view name) const { return file_names::join(directory_, name); }

// After a failure every later call returns it.
Status Repair::next(std::string& piece) {
  piece.clear();
  while (piece.empty() && failure_.ok() && step_ != Step::kDone) {
    failure_ =
        isCancelled() ? Status(StatusCode::kClosed, "the repair was cancelled") : step(piece);
  }
  return failure_;
}

Status Repair::step(std::string& piece) {
  switch (step_) {
    case Step::kBegin:
      return begin(piece);
    case Step::kLook:
      if (opening_ && looked_ < opening_->state.segments.size()) return lookAtNextSegment(piece);
      if (lookedKept_ < kept_.size()) return lookAtNextKept(piece);
      settlePlan(piece);
      return {};
    case Step::kFiles:
      return mendFiles(piece);
    case Step::kSegments:
      if (mended_ < segments_.size()) return mendNextSegment(piece);
      step_ = Step::kEnd;
      return {};
    default:
      return finish(piece);
  }
}

// Checks before taking the lock, which makes a file, and again with the lock.
Status Repair::begin(std::string& piece) {
  if (Status ours = checkIsOurs(); !ours.ok()) return ours;
  auto lock = fs_.lock(path(file_names::kLock));
  if (!lock.ok()) return lock.status();
  lock_ = std::move(lock).value();
  Status looked = checkIsOurs();
  if (looked.ok()) looked = checkPermissions();
  if (looked.ok()) looked = lookAtFiles();
  if (!looked.ok()) return looked;
  std::vector<SegmentFacts> all;
  if (opening_) all = opening_->state.segments;
  for (const Kept& one : kept_) all.push_back(one.segment.facts);
  report_.plan(all, piece);
  step_ = Step::kLook;
  return {};
}

// A backup without its ROOT looks like a database that has lost everything but its commits.
Status Repair::checkIsOurs() {
  bool isAny = false;
  bool isAnyPlain = false;
  for (const auto name : {file_names::kRoot, file_names::kManifest, file_names::kCatalog,
                          file_names::kRefs, file_names::kWalDirectory}) {
    const auto exists = fs_.exists(path(name));
    if (!exists.ok()) return exists.status();
    isAny = isAny || exists.value();
    const bool isPlain = name != file_names::kRoot && name != file_names::kRefs;
    isAnyPlain = isAnyPlain || (exists.value() && isPlain);
  }
  if (!isAny) return noDatabase(directory_);
  if (isLaterRoot(fs_, directory_)) return readRoot(fs_, directory_).status();
  const auto root = readRoot(fs_, directory_);
  if (root.ok()) return checkOpenable(root.value(), directory_, false);
  if (isAnyPlain) return {};
  return {StatusCode::kConfiguration,
          root.status().message() + "; the directory may be a damaged backup: make a new one"};
}

// A file without read permission is not damaged.
Status Repair::checkPermissions() const {
  std::vector<std::string> names;
  for (const auto name : {file_names::kRoot, file_names::kManifest, file_names::kCatalog,
                          file_names::kAnnotations, file_names::kRefs}) {
    names.emplace_back(name);
  }
  for (const auto folder :
       {file_names::kWalDirectory, file_names::kSegmentDirectory, file_names::kObjectDirectory}) {
    const auto exists = fs_.exists(path(folder));
    if (exists.ok() && !exists.value()) continue;
    const auto listed = fs_.list(path(folder));
    if (!listed.ok()) return listed.status();
    if (folder == file_names::kObjectDirectory) continue;
    for (const std::string& name : listed.value()) names.push_back(file_names::join(folder, name));
  }
  const auto objects = objectFilesIn(fs_, directory_);
  if (!objects.ok()) return objects.status();
  for (const ObjectFile& file : objects.value()) names.push_back(file.name);
  for (const std::string& name : names) {
    const auto exists = fs_.exists(path(name));
    if (exists.ok() && !exists.value()) continue;
    if (const auto opened = fs_.openRead(path(name)); !opened.ok()) return opened.status();
  }
  return {};
}

Status Repair::lookAtFiles() {
  auto described = lookAtDescriptions(fs_, directory_);
  if (!described.ok()) return described.status();
  opening_ = std::move(described.value().opening);
  const auto root = readRoot(fs_, directory_);
  if (root.ok()) root_ = std::make_unique<const RootFacts>(root.value());
  if (!root.ok()) {
    if (Status looked = lookAtRoot(root.status()); !looked.ok()) return looked;
  }
  std::ranges::move(described.value().faults, std::back_inserter(files_));
  if (!opening_) return {};
  if (Status looked = lookAtFolder(); !looked.ok()) return looked;
  auto log = lookAtLog(fs_, directory_, opening_->state);
  if (!log.ok()) return log.status();
  cut_ = std::move(log.value().cut);
  if (log.value().fault) files_.push_back(std::move(*log.value().fault));
  lookForKept();
  return {};
}

void Repair::lookForKept() {
  keptBy_ = segmentsOfSnapshots(fs_, directory_);
  std::unordered_set<std::uint64_t> live;
  for (const SegmentFacts& facts : opening_->state.segments) live.insert(facts.number);
  for (const auto& [number, kept] : keptBy_) {
    if (!live.contains(number)) kept_.push_back({kept, {}});
  }
}

// Tools that copy directories may omit empty ones.
Status Repair::lookAtFolder() {
  const auto exists = fs_.exists(path(file_names::kSegmentDirectory));
  if (!exists.ok() || exists.value()) return exists.status();
  Fault fault;
  fault.file = file_names::kSegmentDirectory;
  fault.problem = path(fault.file) + " is missing";
  fault.action = "created";
  fault.remedy = Remedy::kFolder;
  files_.push_back(std::move(fault));
  return {};
}

Status Repair::lookAtRoot(const Status& read) {
  if (read.code() == StatusCode::kExhausted) return read;
  const auto exists = fs_.exists(path(file_names::kRoot));
  if (!exists.ok()) return exists.status();
  Fault fault;
  fault.file = file_names::kRoot;
  fault.problem = exists.value() ? read.message() : path(file_names::kRoot) + " is missing";
  auto unit = opening_ ? unitToldBy(opening_->state) : std::nullopt;
  if (unit && wishes_.unit && *wishes_.unit != *unit) {
    return {StatusCode::kConfiguration, "the segments of " + directory_ + " have timestamps in " +
                                            std::string(unitName(*unit)) + ", not in " +
                                            std::string(unitName(*wishes_.unit))};
  }
  if (!unit) unit = wishes_.unit;
  if (unit) {
    fault.remedy = Remedy::kRoot;
    fault.action = "rebuilt with timestamp_unit \"" + std::string(unitName(*unit)) +
                   "\" and a new database id; later backups need a new directory";
    root_ = std::make_unique<const RootFacts>(RootFacts{*unit, makeDatabaseId(), 0, 0});
  } else {
    fault.action = "none: no other file has the timestamp unit; pass --timestamp-unit";
  }
  files_.push_back(std::move(fault));
  return {};
}

Result<std::optional<Fault>> Repair::look(const SegmentFacts& facts, std::string& piece) {
  auto found = lookAtSegment(fs_, directory_, facts, [this] { return isCancelled(); });
  if (found.ok()) report_.progress(segmentFileOf(facts), facts.fileSize, piece);
  return found;
}

Status Repair::lookAtNextSegment(std::string& piece) {
  auto found = look(opening_->state.segments[looked_++], piece);
  if (!found.ok()) return found.status();
  if (found.value()) segments_.push_back(std::move(*found.value()));
  return {};
}

Status Repair::lookAtNextKept(std::string& piece) {
  Kept& kept = kept_[lookedKept_++];
  auto found = look(kept.segment.facts, piece);
  if (!found.ok()) return found.status();
  kept.fault = std::move(found).value();
  if (!kept.fault || kept.fault->remedy == Remedy::kPutBack) return {};
  // The last state has lost nothing, and a snapshot has no other version of the segment.
  kept.fault->lost = {};
  kept.fault->action = kept.segment.sentence();
  return {};
}

// The last state no longer has the damage, but snapshots do.
void Repair::tellKept(const Fault& fault, std::string& piece) {
  if (const auto kept = keptFault(fault, keptBy_)) report_.fault(*kept, FaultStatus::kHeld, piece);
}

// Reports the status of each fault, if the repair changes nothing.
void Repair::settlePlan(std::string& piece) {
  const auto isHopeless = [](const Fault& one) { return one.remedy == Remedy::kNone; };
  const auto isClosing = [this](const Fault& one) { return !isAllowed(one); };
  const bool isBlocked =
      std::ranges::any_of(files_, isHopeless) || std::ranges::any_of(files_, isClosing);
  const bool isAnySegment =
      std::ranges::any_of(segments_, [this](const auto& one) { return isAllowed(one); }) ||
      std::ranges::any_of(kept_, isPutBack);
  const bool isNothing = files_.empty() && !isAnySegment;
  if (!wishes_.isDry && !isBlocked && !isNothing) {
    step_ = Step::kFiles;
    return;
  }
  const FaultStatus otherwise = isBlocked ? FaultStatus::kWaits : FaultStatus::kPlanned;
  for (const auto* faults : {&files_, &segments_}) {
    for (const Fault& one : *faults) {
      report_.fault(one,
                    isHopeless(one)   ? FaultStatus::kHopeless
                    : !isAllowed(one) ? FaultStatus::kLeft
                                      : otherwise,
                    piece);
      if (isAllowed(one)) tellKept(one, piece);
    }
  }
  for (const Kept& one : kept_) {
    if (!one.fault) continue;
    report_.fault(*one.fault, isPutBack(one) ? otherwise : FaultStatus::kHeld, piece);
  }
  step_ = Step::kEnd;
}

// Repairs the log before the descriptions, which an opening rebuilds.
Status Repair::mendFiles(std::string& piece) {
  for (const Fault& fault : files_) {
    Status done;
    if (fault.remedy == Remedy::kRoot) {
      done = keepAside(fs_, directory_, fault.file).status();
      if (done.ok()) done = writeRoot(fs_, directory_, *root_);
    } else if (fault.remedy == Remedy::kFolder) {
      done = fs_.makeDirectory(path(fault.file));
    } else if (fault.remedy == Remedy::kCutLog) {
      done = cutLog(fs_, directory_, opening_->state, cut_);
    }
    if (!done.ok()) return done;
  }
  for (const Fault& fault : files_) {
    if (fault.remedy != Remedy::kSetAside) continue;
    const auto aside = setAside(fs_, directory_, fault.file);
    if (!aside.ok()) return aside.status();
  }
  if (Status mended = mendKept(piece); !mended.ok()) return mended;
  if (Status opened = openEngine(); !opened.ok()) return opened;
  for (const Fault& fault : files_) report_.fault(fault, FaultStatus::kMended, piece);
  step_ = Step::kSegments;
  return {};
}

Status Repair::mendKept(std::string& piece) {
  for (const Kept& one : kept_) {
    if (isPutBack(one)) {
      const auto copy = findWholeCopy(fs_, directory_, one.segment.facts);
      if (!copy.ok()) return copy.status();
      if (!copy.value()) return {StatusCode::kIo, one.fault->file + ": its copy is gone"};
      Status put = putBack(fs_, directory_, *copy.value(), one.segment.facts);
      if (!put.ok()) return put;
    }
    if (!one.fault) continue;
    report_.fault(*one.fault, isPutBack(one) ? FaultStatus::kMended : FaultStatus::kHeld, piece);
  }
  return {};
}

Status Repair::openEngine() {
  EngineOptions options;
  options.directory = directory_;
  options.unit = root_->unit;
  options.isLockHeld = true;
  options.isCompacting = false;
  // A repair must not remove anything that the database had kept.
  options.isUnnamedKept = true;
  options.historyKeepMs = std::uint64_t{1} << 62;
  options.casMode = opening_->casMode;
  options.metadataReadMode = opening_->readMode;
  auto engine = Engine::open(fs_, options);
  if (!engine.ok()) return engine.status();
  engine_ = std::move(engine).value();
  return {};
}

Status Repair::mendNextSegment(std::string& piece) {
  Fault& fault = segments_[mended_++];
  const std::function<bool()> isEnough = [this] { return isCancelled(); };
  const auto status = mendSegment(*engine_, fault, wishes_.isLossAccepted, isEnough);
  if (!status.ok()) return status.status();
  report_.fault(fault, status.value(), piece);
  if (status.value() == FaultStatus::kMended) tellKept(fault, piece);
  return {};
}

Status Repair::finish(std::string& piece) {
  step_ = Step::kDone;
  if (engine_) {
    // The description that lacks an edit still names the removed files.
    if (Status described = engine_->checkDescribed(); !described.ok()) return described;
    if (Status closed = engine_->close(); !closed.ok()) return closed;
  }
  engine_.reset();
  lock_.reset();
  report_.end(piece);
  return {};
}

}  // namespace seriesdb
