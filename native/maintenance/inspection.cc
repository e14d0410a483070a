#include "maintenance/inspection.h"

#include <algorithm>
#include <utility>

#include "common/base/work_pace.h"
#include "common/types/file_names.h"
#include "maintenance/inspect/json_line.h"
#include "maintenance/inspect/refs_reading.h"
#include "maintenance/inspection_refs.h"
#include "maintenance/inspection_rows.h"
#include "storage/engine/engine.h"
#include "storage/engine/engine_open.h"
#include "storage/engine/files_now.h"
#include "storage/ledger/history.h"
#include "storage/ledger/root_file.h"
#include "storage/view/view.h"

namespace seriesdb {

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

}  // namespace seriesdb
