#include "maintenance/task_reader.h"

#include "maintenance/inspect/json_line.h"

namespace seriesdb {
namespace {

std::string lastLine(const CompactionReport& report) {
  std::string line;
  JsonLine(line)
      .text("kind", "end")
      .text("status", "compacted")
      .count("segments_before", report.segmentsBefore)
      .count("segments_after", report.segmentsAfter)
      .count("bytes_before", report.bytesBefore)
      .count("bytes_after", report.bytesAfter)
      .end();
  return line;
}

std::string lastLine(const MigrationReport& report) {
  std::string line;
  JsonLine(line)
      .text("kind", "end")
      .text("status", "migrated")
      .count("segments", report.segments)
      .count("bytes", report.bytes)
      .count("tags", report.tags)
      .count("left", report.left)
      .end();
  return line;
}

}  // namespace

TaskReader::TaskReader(const Begin<CompactionReport>& begin) : begin_(beginWith(begin)) {}
TaskReader::TaskReader(const Begin<MigrationReport>& begin) : begin_(beginWith(begin)) {}

template <typename Report>
std::function<void()> TaskReader::beginWith(const Begin<Report>& begin) {
  return [begin, watch = watch_, ended = ended_] {
    begin(
        [ended](Result<Report> report) {
          const std::lock_guard lock(ended->mutex);
          ended->line.emplace(report.ok() ? Result<std::string>(lastLine(report.value()))
                                          : report.status());
        },
        watch);
  };
}

Status TaskReader::next(std::string& piece) {
  piece.clear();
  if (step_ == Step::kEnded) return {};
  if (step_ == Step::kBegin) {
    step_ = Step::kWaiting;
    begin_();
  }
  const std::lock_guard lock(ended_->mutex);
  const auto figures = watch_->figures();
  if (ended_->line && (step_ == Step::kPlanned || !figures || !ended_->line->ok())) {
    step_ = Step::kEnded;
    if (ended_->line->ok()) piece = ended_->line->value();
    return ended_->line->status();
  }
  JsonLine line(piece);
  if (!figures) {
    line.text("kind", "waiting").end();
  } else if (step_ == Step::kWaiting) {
    step_ = Step::kPlanned;
    line.text("kind", "plan")
        .count("segments", figures->segments)
        .count("bytes", figures->bytesRead + figures->bytesLeft)
        .end();
  } else {
    line.text("kind", "progress")
        .count("segments", figures->segments)
        .count("bytes", figures->bytesRead)
        .count("bytes_left", figures->bytesLeft)
        .end();
  }
  return {};
}

}  // namespace seriesdb
