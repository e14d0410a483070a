#include "maintenance/verification.h"

#include <map>
#include <utility>

#include "common/types/file_names.h"
#include "format/objects/loose_tags.h"
#include "format/segment/segment_identity.h"
#include "maintenance/inspect/json_line.h"
#include "maintenance/inspect/refs_reading.h"
#include "maintenance/inspect/repair_plan.h"
#include "storage/engine/engine_open.h"
#include "storage/ledger/root_file.h"

namespace seriesdb {
namespace {

std::uint64_t sizeOfFile(FileSystem& fs, const std::string& path) {
  const auto file = fs.openRead(path);
  return file.ok() ? file.value()->size() : 0;
}

// Adds counts and a time range: that of the damage, or else of the segment.
void tellSegment(const SegmentFacts& facts, const FileFindings& found, JsonLine& line) {
  line.count("series", found.series).count("chunks", found.chunks).count("samples", found.samples);
  const TimeRange told = found.damaged.value_or(TimeRange{facts.tsMin, facts.tsMax});
  line.integer("start", told.start).integer("end", told.end);
}

}  // namespace

Verification::Verification(FileSystem& fs, std::string directory)
    : fs_(fs), directory_(std::move(directory)) {}

Verification::Verification(FileSystem& fs, std::string directory, PinnedView view)
    : fs_(fs), directory_(std::move(directory)), view_(std::move(view)) {}

Status Verification::next(std::string& piece) {
  piece.clear();
  if (isCancelled()) return {StatusCode::kClosed, "the check was cancelled"};
  if (step_ == Step::kBegin) {
    step_ = Step::kFiles;
    return begin(piece);
  }
  while (piece.empty() && step_ != Step::kDone) {
    Status status;
    if (!waiting_.empty()) {
      status = checkNext(piece);
    } else if (step_ == Step::kFiles) {
      step_ = Step::kRecovery;
    } else if (step_ == Step::kRecovery) {
      step_ = Step::kEnd;
      if (!isLive()) status = recover(piece);
    } else {
      step_ = Step::kDone;
      end(piece);
    }
    if (!status.ok()) return status;
  }
  return {};
}

std::string Verification::path(std::string_view name) const {
  return file_names::join(directory_, name);
}

Status Verification::begin(std::string& piece) {
  if (!isLive()) {
    auto lock = lockClosed(fs_, directory_);
    if (!lock.ok()) return lock.status();
    lock_ = std::move(lock).value();
  }
  const auto root = readRoot(fs_, directory_);
  isBackup_ = root.ok() && root.value().isBackup();
  plan(FileKind::kRoot, std::string(file_names::kRoot));
  if (!isBackup_) {
    plan(FileKind::kManifest, std::string(file_names::kManifest));
    plan(FileKind::kCatalog, std::string(file_names::kCatalog));
  }
  readStates();
  if (Status looked = lookForLostRefs(); !looked.ok()) return looked;
  plan(FileKind::kAnnotations, std::string(file_names::kAnnotations));
  plan(FileKind::kRefs, std::string(file_names::kRefs));
  const auto tags = looseTagNames(fs_, directory_);
  if (!tags.ok()) return tags.status();
  for (const std::string& name : tags.value()) {
    plan(FileKind::kTag, file_names::join(file_names::kTagDirectory, name));
  }
  Status planned = planLogs();
  if (planned.ok()) planned = planSegments();
  if (!planned.ok()) return planned;
  fileCount_ = waiting_.size();
  JsonLine line(piece);
  line.text("kind", "plan").count("files", fileCount_).count("bytes", bytes_);
  if (root.ok()) line.text("timestamp_unit", unitName(root.value().unit));
  line.end();
  return {};
}

// Skips unreadable files; checking the file reports the error.
void Verification::readStates() {
  auto manifest = readManifest(fs_, directory_);
  if (manifest.ok()) {
    manifest_ = std::move(manifest.value().state);
    states_.push_back(*manifest_);
  }
  for (NamedState& one : readableStates(fs_, directory_)) {
    states_.push_back(std::move(one.state));
  }
}

// Asks MANIFEST for lost refs: a REFS that was cut or is missing does not show the loss itself.
Status Verification::lookForLostRefs() {
  if (isLive() || isBackup_) return {};
  const auto look = lookAtDescriptions(fs_, directory_);
  // Checking the file reports this error.
  if (look.status().code() == StatusCode::kConfiguration) return {};
  if (!look.ok()) return look.status();
  for (const Fault& fault : look.value().faults) {
    if (fault.file == file_names::kRefs && fault.isLoss) refsLoss_ = fault.problem;
  }
  return {};
}

void Verification::plan(FileKind kind, std::string name, const SegmentFacts& facts) {
  // Without annotations or commits these files may be missing, and a live database may remove a WAL
  // file.
  const bool isNoted = manifest_ && manifest_->annotationCount > 0;
  const bool isOptional = (kind == FileKind::kAnnotations && !isNoted) ||
                          (kind == FileKind::kRefs && !isBackup_ && !refsLoss_) ||
                          (kind == FileKind::kWal && isLive());
  if (isOptional) {
    const auto exists = fs_.exists(path(name));
    if (exists.ok() && !exists.value()) return;
  }
  const std::uint64_t size = sizeOfFile(fs_, path(name));
  bytes_ += size;
  waiting_.push_back({kind, std::move(name), size, facts});
}

// A folder that cannot be listed is reported as a file is.
Result<std::vector<std::string>> Verification::listFolder(std::string_view folder) {
  auto names = fs_.list(path(folder));
  if (names.ok() || isUnread(names.status())) return names;
  plan(FileKind::kFolder, std::string(folder));
  return std::vector<std::string>();
}

// Files below the floor wait for their removal, and nothing reads them.
Status Verification::planLogs() {
  if (isBackup_) return {};
  const auto names = listFolder(file_names::kWalDirectory);
  if (!names.ok()) return names.status();
  for (const std::string& name : names.value()) {
    const auto number = file_names::walNumber(name);
    if (!number || (manifest_ && *number < manifest_->walFloor)) continue;
    SegmentFacts facts;
    facts.number = *number;
    plan(FileKind::kWal, file_names::join(file_names::kWalDirectory, name), facts);
  }
  return {};
}

// If two descriptions name a segment, use the one that has its hash.
Status Verification::planSegments() {
  std::map<std::uint64_t, SegmentFacts> named;
  const auto name = [&named](const SegmentFacts& facts) {
    SegmentFacts& held = named.try_emplace(facts.number, facts).first->second;
    if (!held.hash) held = facts;
  };
  if (isLive()) {
    for (const auto& segment : (*view_)->segments) name(segment->facts());
    for (const SegmentFacts& facts : (*view_)->damaged) name(facts);
  } else {
    for (const ManifestState& state : states_) {
      for (const SegmentFacts& facts : state.segments) name(facts);
    }
  }
  for (const auto& [number, facts] : named) {
    const auto found = findSegmentFile(fs_, directory_, facts);
    if (!found.ok()) return found.status();
    SegmentFacts before;
    before.number = number;
    const bool isNamed = found.value() == path(segmentFileOf(facts));
    plan(FileKind::kSegment, segmentFileOf(isNamed ? facts : before), facts);
  }
  return isLive() || !states_.empty() ? Status() : planAllSegments();
}

// Plans all existing segment files, each checked against its own footer.
Status Verification::planAllSegments() {
  const auto names = listFolder(file_names::kSegmentDirectory);
  if (!names.ok()) return names.status();
  for (const std::string& name : names.value()) {
    const auto number = file_names::segmentNumber(name);
    SegmentFacts facts;
    facts.number = number.value_or(0);
    if (number) plan(FileKind::kSegment, segmentFileOf(facts), facts);
  }
  const auto isThere = fs_.exists(path(file_names::kObjectDirectory));
  if (isThere.ok() && !isThere.value()) return {};
  const auto folders = listFolder(file_names::kObjectDirectory);
  if (!folders.ok()) return folders.status();
  for (const std::string& folder : folders.value()) {
    const auto objects = listFolder(file_names::join(file_names::kObjectDirectory, folder));
    if (!objects.ok()) return objects.status();
    for (const std::string& name : objects.value()) {
      SegmentFacts facts;
      facts.hash = file_names::objectHash(folder, name);
      if (facts.hash) plan(FileKind::kSegment, segmentFileOf(facts), facts);
    }
  }
  return {};
}

Status Verification::checkNext(std::string& piece) {
  const PlannedFile file = std::move(waiting_.front());
  waiting_.pop_front();
  const std::function<bool()> isEnough = [this] { return isCancelled(); };
  const FileCheck check{fs_, directory_, manifest_ ? &*manifest_ : nullptr, isEnough, isLive()};
  auto found = check.run(file);
  if (!found.ok()) return found.status();
  if (file.kind == FileKind::kRefs && refsLoss_ && found.value().problemCount == 0) {
    found.value().add(*refsLoss_);
  }
  // The flush that removed it has its samples in segments, which are checked or newer.
  if (isLive() && file.kind == FileKind::kWal && found.value().isGone) return {};
  print(file, found.value(), piece);
  return {};
}

void Verification::print(const PlannedFile& file, const FileFindings& found, std::string& piece) {
  const bool isDamaged = found.problemCount > 0;
  samples_ += found.samples;
  damagedCount_ += isDamaged ? 1 : 0;
  JsonLine line(piece);
  line.text("kind", "file").text("file", file.name).text("status", isDamaged ? "damaged" : "ok");
  line.count("bytes", file.bytes);
  if (file.kind == FileKind::kSegment) {
    tellSegment(file.facts, found, line);
  } else if (file.kind != FileKind::kRoot && file.kind != FileKind::kFolder) {
    line.count("records", found.records);
    if (file.kind == FileKind::kWal) line.count("samples", found.samples);
    if (found.tornBytes > 0) line.count("torn_bytes", found.tornBytes);
  }
  if (isDamaged) line.texts("problems", found.problems).count("problem_count", found.problemCount);
  line.end();
}

// Checks with recovery whether the files are consistent, as a server start does. So far each file
// was checked alone.
Status Verification::recover(std::string& piece) {
  const auto root = readRoot(fs_, directory_);
  EngineOptions options;
  options.directory = directory_;
  options.unit = root.ok() ? root.value().unit : options.unit;
  options.isReadOnly = true;
  const auto opened = openDatabase(fs_, options);
  if (isUnread(opened.status())) return opened.status();
  damagedCount_ += opened.ok() ? 0 : 1;
  JsonLine line(piece);
  line.text("kind", "recovery").text("status", opened.ok() ? "ok" : "damaged");
  if (!opened.ok()) line.texts("problems", {opened.status().message()});
  line.end();
  return {};
}

void Verification::end(std::string& piece) {
  lock_.reset();
  JsonLine(piece)
      .text("kind", "end")
      .text("status", damagedCount_ == 0 ? "ok" : "damaged")
      .count("files", fileCount_)
      .count("damaged", damagedCount_)
      .count("bytes", bytes_)
      .count("samples", samples_)
      .end();
}

}  // namespace seriesdb
