#include "care/undelete.h"

#include <chrono>
#include <future>
#include <numeric>
#include <thread>

#include "care/json_line.h"
#include "engine/missing_samples.h"
#include "model/identity.h"

namespace seriesdb {
namespace {

// Of one batch, for which ingest waits while the committer looks at what there is.
constexpr std::size_t kBatchSamples = std::size_t{1} << 16;
constexpr std::size_t kBatchSeries = 1024;
// What a staged sample takes.
constexpr std::uint64_t kSampleBytes = sizeof(SeriesRef) + sizeof(Timestamp) + sizeof(double);
constexpr auto kPatience = std::chrono::milliseconds(20);

}  // namespace

Status Undelete::next(std::string& piece) {
  piece.clear();
  if (isCancelled()) return {StatusCode::kClosed, "the undelete was given up"};
  if (isDone_) return {};
  if (!past_) return begin(piece);
  if (next_ < series_.size() || reading_) return restoreSome(piece);
  isDone_ = true;
  past_.reset();
  JsonLine(piece)
      .text("kind", "end")
      .text("status", "ok")
      .count("series", series_.size())
      .count("restored_series", restoredSeries_)
      .count("samples", restored_)
      .count("present", present_)
      .end();
  return {};
}

Status Undelete::begin(std::string& piece) {
  if (request_.range.start > request_.range.end) {
    return Status::invalid("the range ends before it begins");
  }
  EngineOptions options = engine_.options();
  options.isReadOnly = true;
  options.isLockHeld = true;
  options.snapshot = request_.snapshot;
  auto past = Engine::open(readFs_, options);
  if (!past.ok()) return past.status();
  past_ = std::move(past).value();
  series_ = past_->index().select(request_.series);
  JsonLine(piece).text("kind", "plan").count("series", series_.size()).end();
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
  JsonLine(piece)
      .text("kind", "progress")
      .count("series", next_)
      .count("samples", restored_)
      .end();
  return {};
}

// With what is missing. Most of what is there is passed over here, where nobody waits; the
// committer looks again.
Status Undelete::fill(StagedSamples& batch) {
  auto view = engine_.pinView(request_.range);
  if (!view.ok()) return view.status();
  std::size_t seriesCount = 0;
  for (std::size_t readCount = 0; readCount < kBatchSamples; readCount += ts_.size()) {
    if (!reading_) {
      if (next_ == series_.size() || seriesCount++ == kBatchSeries) return {};
      const SeriesRef ref = series_[next_++];
      auto past = past_->pinView(request_.range);
      if (!past.ok()) return past.status();
      reading_.emplace(Reading{ref, MergeCursor(std::move(past).value(), ref, request_.range)});
    }
    ts_.clear();
    values_.clear();
    const Status read = reading_->cursor.next(kBatchSamples - readCount, ts_, values_);
    if (!read.ok()) return read;
    const Status taken = ts_.empty() ? Status() : takeMissing(view.value(), batch);
    if (!taken.ok()) return taken;
    if (ts_.empty()) reading_.reset();
  }
  return {};
}

// Of what was read.
Status Undelete::takeMissing(const PinnedView& view, StagedSamples& batch) {
  const SeriesRef ref = refHere(batch);
  if ((ref & kPendingBit) != 0) {
    missing_.resize(ts_.size());
    std::iota(missing_.begin(), missing_.end(), 0u);
  } else {
    const Status found = findMissing(view, ref, ts_, missing_);
    if (!found.ok()) return found;
  }
  present_ += ts_.size() - missing_.size();
  if (missing_.empty()) return {};
  if (!reading_->isRestored) ++restoredSeries_;
  reading_->isRestored = true;
  for (const std::uint32_t place : missing_) {
    batch.refs.push_back(ref);
    batch.ts.push_back(ts_[place]);
    batch.values.push_back(values_[place]);
  }
  return {};
}

// Under which ref the database has the series; pending, where it has it no more.
SeriesRef Undelete::refHere(StagedSamples& batch) const {
  SeriesDefinition definition = past_->index().definition(reading_->ref);
  std::vector<Label> labels;
  for (const auto& [key, value] : definition.labels) labels.push_back({key, value});
  const std::string identity = identityText(definition.name, labels);
  if (const auto known = engine_.index().find(identity)) return *known;
  batch.pendingSeries.push_back({std::move(definition.name), std::move(definition.labels)});
  return kPendingBit | static_cast<SeriesRef>(batch.pendingSeries.size() - 1);
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

// Of memory: a flush makes it, and fails where the database is being closed.
Status Undelete::awaitRoom() {
  for (;;) {
    const Status admitted = engine_.admit();
    if (admitted.code() != StatusCode::kBackpressure) return admitted;
    if (isCancelled()) return {StatusCode::kClosed, "the undelete was given up"};
    std::promise<Status> answer;
    engine_.flush([&answer](const Status& status) { answer.set_value(status); });
    const Status flushed = answer.get_future().get();
    if (!flushed.ok()) return flushed;
    std::this_thread::sleep_for(kPatience);
  }
}

}  // namespace seriesdb
