#include "maintenance/undelete.h"

#include <chrono>
#include <future>
#include <thread>

#include "index/index_holder.h"
#include "ingest/staged_samples.h"
#include "maintenance/inspect/json_line.h"
#include "storage/engine/engine.h"
#include "storage/state/engine_options.h"
#include "storage/view/merge_cursor.h"
#include "storage/write/missing_samples.h"
#include "storage/write/resolve_pending.h"
#include "storage/write/write_values.h"

namespace seriesdb {
namespace {

// Limits of one batch: its content, and the samples of the database examined for it. The committer
// examines them, too, and ingest waits meanwhile.
constexpr std::size_t kBatchSamples = std::size_t{1} << 16;
constexpr std::size_t kBatchSeries = 1024;
constexpr std::uint64_t kBatchLooked = std::uint64_t{1} << 20;
// Memory of a staged sample in bytes.
constexpr std::uint64_t kSampleBytes = sizeof(SeriesRef) + sizeof(Timestamp) + sizeof(double);
// How long to wait for memory: a minute, with a flush each second and checks in between.
constexpr int kFlushes = 60;
constexpr int kLooks = 20;
constexpr auto kPause = std::chrono::milliseconds(50);

bool isFull(const Status& room) { return room.code() == StatusCode::kBackpressure; }

Status ofThePast(const Status& read) {
  return read.ok() ? read : Status(read.code(), "reading the past state: " + read.message());
}

Status givenUp() { return {StatusCode::kClosed, "the undelete was cancelled"}; }

}  // namespace

struct Undelete::Reading {
  PendingSeries series;
  MergeCursor cursor;
  bool isRestored = false;  // True once any of its samples was restored.
};

Undelete::Undelete(Engine& engine, FileSystem& readFs, UndeleteRequest request)
    : engine_(engine), readFs_(readFs), request_(std::move(request)) {}

Undelete::~Undelete() = default;

Status Undelete::next(std::string& piece) {
  piece.clear();
  if (!failure_.ok()) return failure_;
  failure_ = isCancelled() ? givenUp() : step(piece);
  if (!failure_.ok()) end();
  return failure_;
}

Status Undelete::step(std::string& piece) {
  if (isDone_) return {};
  if (!past_) return begin(piece);
  if (next_ < series_.size() || reading_) return restoreSome(piece);
  JsonLine line(piece);
  line.text("kind", "end").text("status", "ok");
  if (request_.isDryRun) line.boolean("dry_run", true);
  line.count("series", series_.size())
      .count("restored_series", restoredSeries_)
      .count("samples", restored_)
      .count("present", present_);
  if (!note_.empty()) line.text("note", note_);
  line.end();
  isDone_ = true;
  end();
  return {};
}

// Free them on this thread, which is for such work, and not where the reader is destroyed.
void Undelete::end() {
  reading_.reset();
  past_.reset();
}

Status Undelete::begin(std::string& piece) {
  if (request_.range.start > request_.range.end) {
    return Status::invalid("the range ends before it begins");
  }
  EngineOptions options = engine_.options();
  options.isReadOnly = true;
  static_cast<PastState&>(options) = request_.past;
  auto held = engine_.hold(request_.past);
  if (!held.ok()) return held.status();
  auto past = engine_.openBeside(readFs_, std::move(options), std::move(held).value());
  if (!past.ok()) return past.status();
  past_ = std::move(past).value();
  const auto index = past_->index();
  series_ = index->select(request_.series);
  JsonLine line(piece);
  line.text("kind", "plan");
  if (request_.isDryRun) line.boolean("dry_run", true);
  note_ = past_->noteFor(request_.past);
  line.count("series", series_.size());
  if (!note_.empty()) line.text("note", note_);
  line.end();
  return {};
}

Status Undelete::restoreSome(std::string& piece) {
  StagedSamples batch;
  const Status filled = fill(batch);
  if (!filled.ok()) return filled;
  if (request_.isDryRun) {
    restored_ += batch.refs.size();
  } else if (!batch.refs.empty()) {
    const Status stored = store(std::move(batch));
    if (!stored.ok()) return stored;
  }
  JsonLine(piece).text("kind", "progress").count("series", next_).count("samples", restored_).end();
  return {};
}

// Fills the batch with missing samples. Skips most of the present ones here, where no request
// waits; the committer checks again.
Status Undelete::fill(StagedSamples& batch) {
  auto view = engine_.pinView(request_.range);
  if (!view.ok()) return view.status();
  std::size_t seriesCount = 0;
  for (Looked looked; looked.samples < kBatchSamples && looked.there < kBatchLooked;) {
    if (!reading_) {
      if (next_ == series_.size() || seriesCount++ == kBatchSeries) return {};
      if (Status opened = openSeries(); !opened.ok()) return opened;
    }
    if (at_ == ts_.size()) {
      if (Status read = readSome(kBatchSamples - looked.samples); !read.ok()) return read;
      if (ts_.empty()) reading_.reset();
      if (ts_.empty()) continue;
    }
    if (Status taken = takeMissing(view.value(), batch, looked); !taken.ok()) return taken;
  }
  return {};
}

Status Undelete::openSeries() {
  const SeriesRef ref = series_[next_++];
  auto view = past_->pinView(request_.range);
  if (!view.ok()) return ofThePast(view.status());
  const auto index = past_->index();
  SeriesDefinition definition = index->definition(ref);
  eraseEmpty(definition.labels);
  reading_ = std::make_unique<Reading>(
      Reading{{std::move(definition.name), std::move(definition.labels)},
              MergeCursor(std::move(view).value(), ref, request_.range)});
  return {};
}

Status Undelete::readSome(std::size_t countMax) {
  ts_.clear();
  values_.clear();
  at_ = 0;
  return ofThePast(reading_->cursor.next(countMax, ts_, values_));
}

// Stages the missing samples among those read. If the search takes too long, the rest waits for the
// next batch.
Status Undelete::takeMissing(const PinnedView& view, StagedSamples& batch, Looked& looked) {
  const auto ts = std::span(ts_).subspan(at_);
  const auto index = engine_.index();
  const auto known = knownRef(*index, reading_->series);
  const auto found = findMissing(view, known, ts, kBatchLooked - looked.there, missing_);
  if (!found.ok()) return found.status();
  const auto [told, there] = found.value();
  looked.there += there;
  looked.samples += told;
  present_ += told - missing_.size();
  if (!missing_.empty()) stage(batch);
  at_ += told;
  return {};
}

void Undelete::stage(StagedSamples& batch) {
  restoredSeries_ += reading_->isRestored ? 0 : 1;
  reading_->isRestored = true;
  const auto ref = kPendingBit | static_cast<SeriesRef>(batch.pendingSeries.size());
  batch.pendingSeries.push_back(reading_->series);
  for (const std::uint32_t place : missing_) {
    batch.refs.add(ref);
    batch.ts.add(ts_[at_ + place]);
    batch.values.add(values_[at_ + place]);
  }
}

Status Undelete::store(StagedSamples batch) {
  const Status room = awaitRoom();
  if (!room.ok()) return room;
  const std::uint64_t given = batch.refs.size();
  const std::uint64_t bytes = given * kSampleBytes;
  engine_.holdBytes(static_cast<std::int64_t>(bytes));
  std::promise<Result<IngestReport>> answer;
  engine_.commitMissing(std::move(batch), bytes,
                        [&answer](auto report) { answer.set_value(std::move(report)); });
  auto report = answer.get_future().get();
  if (!report.ok()) return report.status();
  restored_ += report.value().ingested;
  present_ += given - report.value().ingested;
  return {};
}

// Waits for free memory. A flush frees some, unless requests hold it; it fails if the database is
// being closed.
Status Undelete::awaitRoom() {
  Status room = engine_.checkRoom();
  for (int flushes = 0; isFull(room) && flushes < kFlushes; ++flushes) {
    std::promise<Status> answer;
    engine_.flush([&answer](const Status& status) { answer.set_value(status); });
    Status flushed = answer.get_future().get();
    if (!flushed.ok()) return flushed;
    for (int looks = 0; isFull(room = engine_.checkRoom()) && looks < kLooks; ++looks) {
      if (isCancelled()) return givenUp();
      std::this_thread::sleep_for(kPause);
    }
  }
  return room;
}

}  // namespace seriesdb
