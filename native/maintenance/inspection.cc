#include "maintenance/inspection.h"

#include <algorithm>
#include <utility>

#include "common/base/work_pace.h"
#include "common/types/file_names.h"
#include "format/objects/loose_tags.h"
#include "format/objects/refs_log.h"
#include "maintenance/inspect/json_line.h"
#include "maintenance/inspect/refs_reading.h"
#include "maintenance/inspection_rows.h"
#include "storage/engine/engine.h"
#include "storage/engine/engine_open.h"
#include "storage/engine/files_now.h"
#include "storage/ledger/history.h"
#include "storage/ledger/root_file.h"
#include "storage/view/view.h"

namespace seriesdb {

// REFS and the loose tags beside it, as an inspection prints them.
struct Inspection::Refs {
  Result<std::unique_ptr<RefsLog>> log;
  Status listed;  // The result of listing the tags.
  std::vector<std::pair<std::string, Result<LooseTag>>> tags;
};

Inspection::Inspection(FileSystem& fs, std::string directory, InspectionRequest request)
    : fs_(fs), engine_(nullptr), directory_(std::move(directory)), request_(request) {}

Inspection::Inspection(FileSystem& fs, Engine& engine, InspectionRequest request)
    : fs_(fs), engine_(&engine), directory_(engine.options().directory), request_(request) {}

Inspection::~Inspection() = default;

std::string Inspection::path(std::string_view name) const {
  return file_names::join(directory_, name);
}

Status Inspection::next(std::string& piece) {
  piece.clear();
  if (!isBegun_) {
    isBegun_ = true;
    Status begun = begin(piece);
    if (!begun.ok()) return begun;
  }
  if (!isDone_ && request_.part == InspectionPart::kManifest) printManifest(piece);
  if (!isDone_ && request_.part == InspectionPart::kRefs) printRefs(piece);
  if (!isDone_ && request_.part == InspectionPart::kHistory) printHistory(piece);
  isDone_ = isDone_ || isOfRefs() || request_.part == InspectionPart::kManifest;
  while (!isDone_ && piece.size() < kPieceSize) {
    if (isCancelled()) return {StatusCode::kClosed, "the inspection was cancelled"};
    PacedThread::giveWay();
    if (!logs_.empty()) {
      printLog(piece);
    } else if (!segments_.empty() && request_.part == InspectionPart::kSegments) {
      printSegment(segments_.front(), piece);
      segments_.pop_front();
    } else if (segment_ || !segments_.empty()) {
      printChunks(piece);
    } else {
      isDone_ = true;
    }
  }
  if (isDone_) {
    lock_.reset();
    view_.reset();
    refs_.reset();
  }
  return {};
}

Status Inspection::lockWhenClosed() {
  if (engine_ != nullptr) return {};
  auto lock = lockClosed(fs_, directory_);
  if (lock.ok()) lock_ = std::move(lock).value();
  return lock.status();
}

Status Inspection::begin(std::string& piece) {
  if (Status locked = lockWhenClosed(); !locked.ok()) return locked;
  auto reading = engine_ != nullptr ? readLive() : readClosed();
  if (isOfRefs()) return {};
  if (reading.status().code() == StatusCode::kStorageCorrupt) {
    printDamage(reading.status(), piece);
    isDone_ = true;
    return {};
  }
  if (!reading.ok()) return reading.status();
  manifest_ = std::move(reading).value();
  if (request_.part == InspectionPart::kWal) {
    return engine_ != nullptr ? Status() : planLogs(nullptr);
  }
  planSegments();
  return {};
}

void Inspection::planSegments() {
  for (const SegmentFacts& facts : manifest_->state.segments) {
    if (!request_.number || *request_.number == facts.number) segments_.push_back(facts);
  }
  std::ranges::sort(segments_, {}, &SegmentFacts::number);
}

Result<ManifestReading> Inspection::readClosed() {
  if (isOfRefs()) {
    refs_ = std::make_unique<Refs>(readRefsNow());
    return ManifestReading();
  }
  const auto hasManifest = fs_.exists(path(file_names::kManifest));
  if (!hasManifest.ok()) return hasManifest.status();
  if (hasManifest.value()) return readManifest(fs_, directory_);
  const auto root = readRoot(fs_, directory_);
  if (root.ok() && root.value().isBackup()) return readBackup();
  return Status::corrupt(path(file_names::kManifest) + " is missing");
}

// The last commit has the state.
Result<ManifestReading> Inspection::readBackup() const {
  auto refs = readRefs(fs_, directory_);
  if (!refs.ok()) return refs.status();
  for (NamedState& one : refs.value().states) {
    if (one.move.ref != kHeadRef) continue;
    return ManifestReading{std::move(one.state), refs.value().log->report()};
  }
  return Status::corrupt(path(file_names::kRefs) + " names no head commit");
}

// The engine has the state; only requested descriptions are read. WAL files are opened at once,
// because a flush may remove their names before they are printed.
Result<ManifestReading> Inspection::readLive() {
  Result<ManifestReading> reading = ManifestReading();
  Status planned;
  auto now = engine_->filesNow([&](const FilesNow& files) {
    if (isOfRefs()) refs_ = std::make_unique<Refs>(readRefsNow());
    if (request_.part == InspectionPart::kManifest) reading = readManifest(fs_, directory_);
    if (request_.part == InspectionPart::kWal) planned = planLogs(&files);
  });
  if (!planned.ok()) return planned;
  view_ = std::move(now.view);
  if (reading.ok()) reading.value().state = std::move(now.state);
  return reading;
}

// Prints the unit, too: the caller needs it to open the database by its commit.
void Inspection::printDamage(const Status& damage, std::string& piece) const {
  const auto root = readRoot(fs_, directory_);
  const bool isOfAll = request_.part == InspectionPart::kManifest;
  JsonLine line(piece);
  if (isOfAll && root.ok()) line.text("timestamp_unit", unitName(root.value().unit));
  line.text("file", file_names::kManifest).text("error", damage.message()).end();
}

void Inspection::printManifest(std::string& piece) const {
  const ManifestState& state = manifest_->state;
  std::uint64_t bytes = 0;
  for (const SegmentFacts& facts : state.segments) bytes += facts.fileSize;
  const auto root = readRoot(fs_, directory_);
  JsonLine line(piece);
  if (root.ok()) line.text("timestamp_unit", unitName(root.value().unit));
  line.count("segments", state.segments.size())
      .count("segment_samples", sampleCountOf(state))
      .count("segment_bytes", bytes)
      .count("next_segment", state.nextSegment)
      .count("wal_floor", state.walFloor)
      .count("flushed_sequence", state.flushedSequence)
      .count("annotations", state.annotationCount)
      .count("deletions", state.tombstones.size())
      .count("classes", state.classes.size())
      .count("edit", state.editNumber)
      .count("manifest_records", manifest_->log.recordCount)
      .count("manifest_torn_bytes", manifest_->log.fileSize - manifest_->log.validSize);
  if (!root.ok()) line.text("error", root.status().message());
  line.end();
}

// Migration renames a file without a hash, so use the view's open segment.
Result<std::shared_ptr<const Segment>> Inspection::openSegment(const SegmentFacts& facts) const {
  if (view_ && !facts.hash) {
    for (const auto& segment : (*view_)->segments) {
      if (segment->facts().number == facts.number) return segment;
    }
  }
  auto opened = Segment::open(fs_, directory_, facts);
  if (!opened.ok()) return opened.status();
  return std::shared_ptr<const Segment>(std::move(opened).value());
}

void Inspection::printSegment(const SegmentFacts& facts, std::string& piece) const {
  JsonLine line(piece);
  line.count("segment", facts.number);
  printPlace(facts, line);
  line.count("bytes", facts.fileSize)
      .count("series", facts.seriesCount)
      .count("chunks", facts.chunkCount)
      .count("samples", facts.sampleCount)
      .integer("start", facts.tsMin)
      .integer("end", facts.tsMax)
      .count("sequence_min", facts.sequenceMin)
      .count("sequence_max", facts.sequenceMax)
      .count("erased_through", facts.erasedThrough)
      .boolean("final", facts.isFinal);
  if (facts.hash) line.text("hash", facts.hash->text());
  const auto opened = openSegment(facts);
  if (!opened.ok()) line.text("error", opened.status().message());
  line.end();
}

// Opens the next segment, or prints the error.
void Inspection::beginChunks(std::string& piece) {
  const SegmentFacts facts = segments_.front();
  segments_.pop_front();
  page_ = 0;
  auto opened = openSegment(facts);
  if (opened.ok()) {
    segment_ = std::move(opened).value();
    return;
  }
  const std::string& error = opened.status().message();
  JsonLine(piece).count("segment", facts.number).text("error", error).end();
}

// Prints the chunks of one page, or the error.
void Inspection::printChunks(std::string& piece) {
  if (!segment_) return beginChunks(piece);
  const std::uint64_t number = segment_->facts().number;
  std::vector<ChunkEntry> chunks;
  const Status read = segment_->readPage(page_, chunks);
  if (!read.ok()) JsonLine(piece).count("segment", number).text("error", read.message()).end();
  if (read.ok()) {
    for (const ChunkEntry& chunk : chunks) printChunk(number, chunk, piece);
  }
  if (++page_ == segment_->pageCount()) segment_.reset();
}

Status Inspection::planLogs(const FilesNow* now) {
  const auto names = fs_.list(path(file_names::kWalDirectory));
  if (!names.ok()) return names.status();
  for (const std::string& name : names.value()) {
    const auto number = file_names::walNumber(name);
    if (!number || (request_.number && *request_.number != *number)) continue;
    if (now != nullptr && now->log) {
      planLiveLog(*number, *now->log, now->state.walFloor);
    } else {
      logs_.push_back({*number, nullptr, UINT64_MAX});
    }
  }
  return {};
}

void Inspection::planLiveLog(std::uint64_t number, const WalEnd& end, std::uint64_t floor) {
  if (number > end.number) return;
  auto opened =
      fs_.openRead(file_names::join(path(file_names::kWalDirectory), file_names::walFile(number)));
  // A flush is removing the file.
  if (!opened.ok() && number < floor) return;
  Log& log = logs_.emplace_back();
  log.number = number;
  if (opened.ok()) log.file = std::move(opened).value();
  if (number == end.number) log.end = end.size;
}

// Unless the file may vanish, read it instead of mapping it: a bad sector must become a Status, not
// a signal.
Status Inspection::beginLog() {
  const Log& log = logs_.front();
  const std::string file =
      file_names::join(path(file_names::kWalDirectory), file_names::walFile(log.number));
  Bytes bytes = log.file ? log.file->mapped() : Bytes();
  if (bytes.empty()) {
    auto read = fs_.readAll(file);
    if (!read.ok()) return read.status();
    content_ = std::move(read).value();
    bytes = content_;
  }
  const auto end = static_cast<std::size_t>(std::min<std::uint64_t>(log.end, bytes.size()));
  scan_.emplace(bytes.first(end), file, log.number);
  return {};
}

// Prints a piece of the first log.
void Inspection::printLog(std::string& piece) {
  const Log& log = logs_.front();
  const std::string name = file_names::walFile(log.number);
  const std::size_t before = piece.size();
  Status failed = scan_ ? Status() : beginLog();
  bool isAtEnd = false;
  while (failed.ok() && !isAtEnd && piece.size() < kPieceSize && !isCancelled()) {
    const auto record = scan_->next();
    failed = record.status();
    isAtEnd = record.ok() && !record.value();
    if (record.ok() && record.value()) printRecord(name, *record.value(), piece);
  }
  if (log.file && log.file->isMappingLost()) {
    piece.resize(before);
    failed = Status::io(name + " cannot be read");
  }
  if (failed.ok() && !isAtEnd) return;
  if (!failed.ok()) JsonLine(piece).text("file", name).text("error", failed.message()).end();
  if (failed.ok()) printLogEnd(name, piece);
  scan_.reset();
  content_ = {};
  logs_.pop_front();
}

void Inspection::printLogEnd(const std::string& name, std::string& piece) const {
  const LogReadReport& log = scan_->report().log;
  if (!log.hasTornTail) return;
  JsonLine(piece)
      .text("file", name)
      .text("record", "torn")
      .count("bytes", log.fileSize - log.validSize)
      .end();
}

// Reads an object, too, which opens the file: REFS then stays readable even if it is replaced.
Inspection::Refs Inspection::readRefsNow() const {
  Refs refs{RefsLog::open(fs_, directory_), {}, {}};
  if (refs.log.ok() && !refs.log.value()->refs().empty()) {
    static_cast<void>(refs.log.value()->read(refs.log.value()->refs().begin()->second.to).ok());
  }
  const auto names = looseTagNames(fs_, directory_);
  refs.listed = names.status();
  if (!names.ok()) return refs;
  for (const std::string& name : names.value()) {
    refs.tags.emplace_back(name, readLooseTag(fs_, directory_, name));
  }
  return refs;
}

void Inspection::printRefs(std::string& piece) const {
  const auto& [log, listed, tags] = *refs_;
  if (!log.ok()) {
    JsonLine(piece).text("file", file_names::kRefs).text("error", log.status().message()).end();
  } else {
    for (const auto& [ref, move] : log.value()->refs()) printRef(move, *log.value(), piece);
  }
  if (!listed.ok()) {
    JsonLine(piece).text("file", file_names::kTagDirectory).text("error", listed.message()).end();
  }
  for (const auto& [name, tag] : tags) {
    if (tag.ok()) {
      printRef(tag.value().move, TagObjects(tag.value()), piece);
    } else {
      const std::string file = file_names::join(file_names::kTagDirectory, name);
      JsonLine(piece).text("file", file).text("error", tag.status().message()).end();
    }
  }
}

// Goes back as far as all named objects exist, beyond any time limit.
void Inspection::printHistory(std::string& piece) const {
  const auto& refs = refs_->log;
  const auto tell = [&piece](const Status& why) {
    JsonLine(piece).text("file", file_names::kRefs).text("error", why.message()).end();
  };
  if (!refs.ok()) return tell(refs.status());
  const Sha256 head = refs.value()->target(kHeadRef);
  if (head == Sha256{}) return;
  auto named = readNamed({kHeadRef, {}, head}, *refs.value());
  if (!named.ok()) return tell(named.status());
  auto& [move, commit, tree, state] = named.value();
  std::deque<PastCommit> commits =
      readHistory({*refs.value(), fs_, directory_}, {commit, std::move(tree)}, {0, 0, {}});
  PastCommit last;
  last.edit = commit.edit;
  last.timeMs = commit.timeMs;
  last.reason = commit.reason;
  last.segmentCount = state.segments.size();
  for (const SegmentFacts& facts : state.segments) last.segmentBytes += facts.fileSize;
  commits.push_back(std::move(last));
  for (auto one = commits.rbegin(); one != commits.rend(); ++one) {
    std::uint64_t bytes = one->objectBytes;
    for (const SegmentFacts& facts : one->segments) bytes += facts.fileSize;
    JsonLine(piece)
        .count("edit", one->edit)
        .text("time", timeText(one->timeMs))
        .text("reason", reasonName(one->reason))
        .count("segments", one->segmentCount)
        .count("segment_bytes", one->segmentBytes)
        .count("kept_bytes", bytes)
        .end();
  }
}

void Inspection::printRef(const RefMove& move, const ObjectReader& objects,
                          std::string& piece) const {
  JsonLine line(piece);
  line.text("ref", move.ref).text("commit", move.to.text()).integer("time_ms", move.timeMs);
  const auto named = readNamed(move, objects);
  if (!named.ok()) {
    line.text("error", named.status().message()).end();
    return;
  }
  const NamedState& one = named.value();
  line.text("reason", reasonName(one.commit.reason))
      .text("root", one.commit.root.text())
      .count("edit", one.commit.edit)
      .count("flushed_sequence", one.state.flushedSequence)
      .count("series", one.state.seriesCount)
      .count("segments", one.state.segments.size())
      .count("segment_samples", sampleCountOf(one.state))
      .end();
}

}  // namespace seriesdb
