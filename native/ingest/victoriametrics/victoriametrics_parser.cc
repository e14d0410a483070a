// Cuts the body into lines, and stages each line that is whole and good. A line of many samples
// pauses while it is read, and once more while its samples get their series.
#include "ingest/victoriametrics/victoriametrics_parser.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/base/check.h"
#include "ingest/parser_state.h"
#include "ingest/rejections.h"
#include "ingest/sent_labels.h"
#include "ingest/text/lent_text.h"
#include "ingest/victoriametrics/line_reader.h"

namespace seriesdb {
namespace {

// Refs that are written in the time of reading a byte, some 16 ns.
constexpr std::size_t kRefsPerWork = 8;
constexpr std::size_t kStagedSampleSize = sizeof(SeriesRef) + sizeof(Timestamp) + sizeof(double);
// The part of a rejected line that is kept.
constexpr std::size_t kShownLineMax = std::size_t{64} << 10;
// The first byte of a gzip body; no line has it.
constexpr char kGzipByte = '\x1F';

class VictoriaMetricsParser final : public IngestParser {
 public:
  VictoriaMetricsParser(ParserStateImpl& state, const IngestOptions& options)
      : state_(state),
        options_(options),
        staging_(options.limits.bodySizeMax),
        reader_(options_, staging_) {}

  Status write(Bytes chunk) override;
  bool isBusy() const override { return error_.ok() && (isFilling_ || !input_.isEmpty()); }
  Status proceed(std::size_t size) override { return run(size); }
  Status finish() override;
  StagedSamples take() override;
  std::uint64_t refusedCount() const override {
    return staging_.count() + rejections_.count() + (error_.ok() ? 0 : 1);
  }
  std::size_t memoryBytes() const override {
    return staging_.memoryBytes() + (touchedCount_ - staging_.count()) * kStagedSampleSize +
           rejections_.memoryBytes() + reader_.memoryBytes() + shown_.capacity() +
           input_.memoryBytes();
  }

 private:
  Status run(std::size_t size);
  void readPiece();
  void readLine(std::string_view& piece);
  void endLine();
  void beginLine();
  Status findSeries();
  void fillRefs();
  void refuse(const Status& why);
  void reject();
  void fail(const Status& why) {
    error_ = {why.code(), "line " + std::to_string(lineNumber_) + ": " + why.message()};
  }

  ParserStateImpl& state_;
  const IngestOptions options_;
  Staging staging_;
  SampleLineReader reader_;
  StepAllowance step_;
  LentText input_;
  bool isOver_ = false;  // The body exceeds its maximum size.
  std::uint64_t lineNumber_ = 1;
  std::uint64_t lineCount_ = 0;
  bool isBlank_ = true;     // The line has only blanks so far.
  Status refusal_;          // Why the line is rejected, as soon as it is known.
  std::string shown_;       // The beginning of the line, for the file of rejects.
  bool isFilling_ = false;  // The line is good, and its samples get their series.
  SeriesRef ref_ = 0;
  std::size_t filledCount_ = 0;
  std::size_t touchedCount_ = 0;  // The most samples that were in the columns at a time.
  Rejections rejections_;
  Status error_;
};

Status VictoriaMetricsParser::write(Bytes chunk) {
  while (isBusy()) static_cast<void>(run(SIZE_MAX));
  if (!error_.ok()) return error_;
  const Bytes taken = staging_.budget().arrive(chunk);
  isOver_ = taken.size() < chunk.size();
  input_.lend(asText(taken));
  return run(chunk.size());
}

Status VictoriaMetricsParser::run(std::size_t size) {
  step_.begin(std::min(size, StepAllowance::kWorkMax));
  staging_.use(state_.enter());
  while (isBusy() && !step_.isUsedUp()) {
    if (isFilling_) {
      fillRefs();
    } else {
      readPiece();
    }
  }
  if (error_.ok() && isOver_ && !isBusy()) fail(tooLargeBody(options_.limits.bodySizeMax));
  const std::size_t count = staging_.count() + (isBlank_ ? 0 : reader_.sampleCount());
  touchedCount_ = std::max(touchedCount_, count);
  if (const Status fits = checkSampleCount(count); error_.ok() && !fits.ok()) fail(fits);
  if (!error_.ok()) input_.clear();
  input_.keep();
  state_.settleScratch();
  return error_;
}

Status VictoriaMetricsParser::finish() {
  while (isBusy()) static_cast<void>(run(SIZE_MAX));
  if (!error_.ok()) return error_;
  // Also needed if nothing was written.
  staging_.use(state_.enter());
  endLine();
  while (isBusy()) static_cast<void>(run(SIZE_MAX));
  return error_;
}

StagedSamples VictoriaMetricsParser::take() {
  CHECK(error_.ok());
  StagedSamples out;
  staging_.moveInto(out);
  out.rejected = rejections_.take();
  out.lineCount = lineCount_;
  out.conversion = options_.conversion;
  touchedCount_ = 0;
  return out;
}

// Reads to the end of the line, of the input or of the step.
void VictoriaMetricsParser::readPiece() {
  const std::string_view rest = input_.rest().substr(0, step_.left());
  const std::size_t newline = rest.find('\n');
  const std::string_view whole = rest.substr(0, newline);
  std::string_view piece = whole;
  readLine(piece);
  const std::string_view read = whole.substr(0, whole.size() - piece.size());
  const std::size_t shownMax = std::min(options_.limits.lineSizeMax, kShownLineMax);
  shown_.append(read.substr(0, shownMax - shown_.size()));
  const bool isEnd = newline != std::string_view::npos && piece.empty();
  input_.take(read.size() + (isEnd ? 1 : 0));
  if (!isEnd || !error_.ok()) return;
  step_.take(1);
  endLine();
}

void VictoriaMetricsParser::readLine(std::string_view& piece) {
  if (isBlank_) {
    const std::size_t first = std::min(piece.find_first_not_of(" \t\r"), piece.size());
    if (first == piece.size()) return step_.take(std::exchange(piece, {}).size());
    if (lineNumber_ == 1 && piece[first] == kGzipByte) {
      return fail(invalidRecord("the body is gzip; send the header Content-Encoding: gzip"));
    }
    isBlank_ = false;
    ++lineCount_;
    reader_.begin();
  }
  if (refusal_.ok()) refuse(reader_.read(piece, step_));
  // The rest of a rejected line is only passed over.
  if (!refusal_.ok()) step_.take(std::exchange(piece, {}).size());
}

void VictoriaMetricsParser::endLine() {
  if (isBlank_) return beginLine();
  if (refusal_.ok()) refuse(reader_.finish());
  if (refusal_.ok() && error_.ok() && reader_.sampleCount() > 0) refuse(findSeries());
  if (!error_.ok()) return;
  if (!refusal_.ok()) return reject();
  isFilling_ = reader_.sampleCount() > 0;
  if (!isFilling_) beginLine();
}

void VictoriaMetricsParser::beginLine() {
  ++lineNumber_;
  isBlank_ = true;
  refusal_ = {};
  shown_.clear();
}

Status VictoriaMetricsParser::findSeries() {
  Record& record = state_.record;
  record.clear();
  const std::vector<Label> labels = reader_.labels();
  std::string_view metric;
  Status status = takeLabels(labels, record, metric);
  if (status.ok()) {
    record.samples.push_back({std::string(metric), 0, nullptr, false});
    status = finishLabels(options_.required, record);
  }
  const std::size_t before = staging_.pendingSeriesCount();
  if (status.ok()) status = staging_.stageSeries(record, state_.found);
  step_.take(StepAllowance::kLookupCost +
             (staging_.pendingSeriesCount() - before) * StepAllowance::kPendingCost);
  if (!status.ok()) return {status.code(), labelsShown(labels) + ": " + status.message()};
  if (const Status fits = staging_.checkPending(); !fits.ok()) fail(fits);
  ref_ = state_.found.refs.front();
  return {};
}

void VictoriaMetricsParser::fillRefs() {
  const std::size_t count = reader_.sampleCount();
  const std::size_t left = count - filledCount_;
  // `left` first, because the product may overflow.
  const std::size_t size = left / kRefsPerWork < step_.left() ? left : step_.left() * kRefsPerWork;
  const ColumnCursor out = staging_.cursor(count);
  std::fill_n(out.refs + filledCount_, size, ref_);
  step_.take(size / kRefsPerWork + 1);
  filledCount_ += size;
  if (filledCount_ < count) return;
  *out.inexactCount += reader_.inexactCount();
  staging_.advance(count);
  filledCount_ = 0;
  isFilling_ = false;
  beginLine();
}

// Ends the request unless it is lenient. Nothing happens if `why` is ok.
void VictoriaMetricsParser::refuse(const Status& why) {
  if (why.ok()) return;
  if (!options_.isLenient || why.code() == StatusCode::kPayloadTooLarge) return fail(why);
  refusal_ = why;
}

void VictoriaMetricsParser::reject() {
  const std::string number = std::to_string(lineNumber_);
  if (shown_.ends_with('\r')) shown_.pop_back();
  step_.take(StepAllowance::kPendingCost);
  const Status added =
      rejections_.add({lineNumber_, refusal_.code(), "line " + number + ": " + refusal_.message(),
                       shown_},
                      staging_.budget());
  if (!added.ok()) return fail(added);
  beginLine();
}

}  // namespace

std::unique_ptr<IngestParser> makeVictoriaMetricsParser(ParserState& state,
                                                        const IngestOptions& options) {
  return std::make_unique<VictoriaMetricsParser>(static_cast<ParserStateImpl&>(state), options);
}

}  // namespace seriesdb
