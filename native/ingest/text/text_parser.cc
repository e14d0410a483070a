#include "ingest/text/text_parser.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "ingest/body_budget.h"
#include "ingest/parser_state.h"
#include "ingest/rejections.h"
#include "ingest/text/frame_match.h"
#include "ingest/text/lent_text.h"

namespace seriesdb {
namespace {

// Sizes inside a frame have 32 bits.
constexpr std::size_t kLineSizeMaxMax = 1u << 30;
// After this many wrong predictions in a row, prediction becomes rare, because each one touches a
// cold frame. Lines are then looked up in batches, so that their cache misses overlap.
constexpr unsigned kMissStreak = 8;
constexpr unsigned kRarePrediction = 4;
constexpr std::size_t kBatchSize = 16;
// The cost of a line that the frame cache does not know, beside its bytes.
constexpr std::size_t kLineCost = 8;
// The memory of the names that a line makes; those of 16 bytes take the most.
constexpr std::size_t kNamesScratch = 3 * kRecordTextMax;
// Shorter lines take their scratch without admission.
constexpr std::size_t kUsualLineMax = (std::size_t{64} << 10) + 2;
// The first bytes of a gzip body; no line of any format has them.
constexpr std::string_view kGzipMark = "\x1F\x8B";
// Editors and spreadsheets write it at the start of files, and files may be joined. It is no part
// of a name.
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// A line of so many samples that it is staged in steps. Between the steps other requests use the
// thread's scratch, so the line has its own texts.
struct LongLine {
  std::string text;
  std::uint64_t number = 0;
  Record record;
  Staging::RecordRefs found;
  std::string labels;  // The labels and the descriptor, to which the record's views point.
  std::size_t memoryBytes = 0;
};

class TextParser final : public IngestParser {
 public:
  TextParser(ParserStateImpl& state, Dialect& dialect, const IngestOptions& options)
      : state_(state),
        dialect_(dialect),
        options_(options),
        trail_(state.cache, scopeKeyOf(dialect.scopeOf(options), options)),
        staging_(options.limits.bodySizeMax) {
    options_.limits.lineSizeMax = std::min(options_.limits.lineSizeMax, kLineSizeMaxMax);
    lineNumber_ = options_.linesBefore;
  }

  Status write(Bytes chunk) override;
  bool isBusy() const override { return error_.ok() && (longLine_ || !input_.isEmpty()); }
  Status proceed(std::size_t size) override { return run(std::min(size, StepAllowance::kWorkMax)); }
  // Known lines take half a nanosecond a byte; others pause by their work.
  std::size_t stepSizeMax() const override { return std::size_t{64} << 10; }
  Status finish() override;
  StagedSamples take() override;
  std::uint64_t refusedCount() const override {
    return staging_.count() + rejections_.count() + (error_.ok() ? 0 : 1);
  }
  std::size_t memoryBytes() const override {
    return staging_.memoryBytes() + carried_.capacity() + rejections_.memoryBytes() +
           input_.memoryBytes() + (longLine_ ? longLine_->memoryBytes : 0);
  }
  std::size_t scratchAhead() const override {
    if (carried_.size() <= kUsualLineMax) return 0;
    return carried_.size() * dialect_.scratchPerByte() + kNamesScratch;
  }

 private:
  // Call only at the start of each part of the request, because it invalidates frames that were
  // found.
  void enter() {
    staging_.use(state_.enter());
    trail_.follow();
  }
  bool isTooLong(std::string_view line) const {
    return line.size() - (line.ends_with('\r') ? 1 : 0) > options_.limits.lineSizeMax;
  }
  bool isOrderKnown() const { return missStreak_ < kMissStreak; }
  bool predicts() { return isOrderKnown() || ++skippedPredictions_ % kRarePrediction == 0; }

  bool isPaused() const { return longLine_ || step_.isUsedUp(); }

  Status run(std::size_t size);
  void pauseIn(std::string_view line);
  void proceedLongLine();
  std::string_view parseText(std::string_view text);
  std::size_t resumeLine(std::string_view text);
  void carry(std::string_view piece);
  void endLine();
  const char* parsePredicted(const char* at, const char* end);
  const char* parseBatch(const char* at, const char* end);
  void parseLine(std::string_view line, const char* limit);
  bool parseByTemplate(std::string_view line, const char* limit);
  void parseSlowly(std::string_view line);
  void takeRecord(std::string_view line, const Record& record, const Staging::RecordRefs& found);
  void teach(std::string_view line, const Record& record, const Staging::RecordRefs& found);
  void takeHit(Frame* frame);
  void reject(StatusCode code, const std::string& message, std::string_view line);
  void fail(StatusCode code, const std::string& message);

  ParserStateImpl& state_;
  Dialect& dialect_;
  IngestOptions options_;
  FrameTrail trail_;
  Staging staging_;
  StepAllowance step_;
  LentText input_;
  bool isOver_ = false;  // The body exceeds its maximum size.
  std::unique_ptr<LongLine> longLine_;
  LineSearch search_;
  std::string carried_;      // The start of an unfinished line, at most lineSizeMax + 2 bytes.
  bool isSkipping_ = false;  // True in the rest of a line that was rejected as too long.
  std::uint64_t lineNumber_ = 0;
  std::uint64_t lineCount_ = 0;
  std::uint64_t legacyLineCount_ = 0;
  std::uint64_t hits_ = 0;
  SkippedCounts skipped_{};
  Rejections rejections_;
  Status error_;
  unsigned missStreak_ = 0;
  unsigned skippedPredictions_ = 0;
};

Status TextParser::write(Bytes chunk) {
  while (isBusy()) static_cast<void>(run(SIZE_MAX));
  if (!error_.ok()) return error_;
  const Bytes taken = staging_.budget().arrive(chunk);
  isOver_ = taken.size() < chunk.size();
  input_.lend(asText(taken));
  return run(std::min(chunk.size(), StepAllowance::kWorkMax));
}

Status TextParser::run(std::size_t size) {
  step_.begin(size);
  enter();
  if (longLine_) proceedLongLine();
  if (error_.ok() && !longLine_) {
    input_.take(input_.rest().size() - parseText(input_.rest()).size());
  }
  if (error_.ok() && isOver_ && !isBusy()) {
    ++lineNumber_;
    const Status tooLarge = tooLargeBody(options_.limits.bodySizeMax);
    fail(tooLarge.code(), tooLarge.message());
  }
  const Status fits = checkSampleCount(staging_.count());
  if (error_.ok() && !fits.ok()) fail(fits.code(), fits.message());
  if (!error_.ok()) {
    longLine_.reset();
    input_.clear();
  }
  input_.keep();
  state_.settleScratch();
  state_.cache.noteHits(hits_);
  hits_ = 0;
  return error_;
}

Status TextParser::finish() {
  while (isBusy()) static_cast<void>(run(SIZE_MAX));
  if (!error_.ok()) return error_;
  step_.begin(SIZE_MAX);
  enter();
  if (!carried_.empty()) parseLine(carried_, carried_.data() + carried_.size());
  carried_ = {};
  state_.settleScratch();
  return error_;
}

StagedSamples TextParser::take() {
  CHECK(error_.ok());
  StagedSamples out;
  staging_.moveInto(out);
  out.rejected = rejections_.take();
  out.legacyLineCount = legacyLineCount_;
  out.skipped = skipped_;
  out.lineCount = lineCount_;
  out.conversion = options_.conversion;
  return out;
}

// Returns the rest of the text if it pauses.
std::string_view TextParser::parseText(std::string_view text) {
  text.remove_prefix(resumeLine(text));
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end && error_.ok() && !isPaused()) {
    if (predicts()) {
      at = parsePredicted(at, end);
      if (at == end) break;
    }
    if (!isOrderKnown() && !trail_.scope().templates.empty()) {
      at = parseBatch(at, end);
      if (at == end) break;
    }
    const char* const newline = dialect_.findEnd(at, end, search_);
    if (newline == nullptr) {
      carry({at, static_cast<std::size_t>(end - at)});
      return {};
    }
    parseLine({at, static_cast<std::size_t>(newline - at)}, end);
    endLine();
    at = newline + 1;
  }
  return {at, static_cast<std::size_t>(end - at)};
}

// Ends the line that an earlier chunk began. Returns the number of bytes taken from `text`.
std::size_t TextParser::resumeLine(std::string_view text) {
  if (carried_.empty() && !isSkipping_) return 0;
  if (text.empty()) return 0;
  const char* const newline = dialect_.findEnd(text.data(), text.data() + text.size(), search_);
  if (newline == nullptr) {
    if (!isSkipping_) carry(text);
    return text.size();
  }
  const auto size = static_cast<std::size_t>(newline - text.data());
  if (!isSkipping_) {
    const auto room = options_.limits.lineSizeMax + 2 - carried_.size();
    carried_.append(text.substr(0, std::min(size, room)));
    parseLine(carried_, carried_.data() + carried_.size());
    carried_.clear();
  }
  isSkipping_ = false;
  endLine();
  return size + 1;
}

// The line itself is already counted; the newlines inside it are not.
void TextParser::endLine() {
  lineNumber_ += search_.newlines;
  search_ = {};
}

// Keeps an unfinished line, or rejects it if no line end could make it short enough.
void TextParser::carry(std::string_view piece) {
  carried_.append(piece.substr(0, options_.limits.lineSizeMax + 2 - carried_.size()));
  if (!isTooLong(carried_)) return;
  parseLine(carried_, carried_.data() + carried_.size());
  carried_.clear();
  isSkipping_ = true;
}

void TextParser::takeHit(Frame* frame) {
  staging_.advance(frame->sampleCount);
  legacyLineCount_ += frame->isLegacy ? 1 : 0;
  trail_.advance(frame);
  ++hits_;
}

// Takes lines while each one is as predicted: the line that last followed its predecessor.
const char* TextParser::parsePredicted(const char* at, const char* end) {
  for (;;) {
    Frame* const frame = trail_.predicted();
    if (frame == nullptr) return at;
    const auto* const newline =
        matchFrame(*frame, at, end, options_, staging_.cursor(frame->sampleCount));
    if (newline == nullptr || isTooLong({at, static_cast<std::size_t>(newline - at)})) {
      ++missStreak_;
      return at;
    }
    takeHit(frame);
    missStreak_ = 0;
    ++lineNumber_;
    ++lineCount_;
    at = newline + 1;
  }
}

// Takes known lines in any order, up to the first line that misses or does not fit the last
// template.
const char* TextParser::parseBatch(const char* at, const char* end) {
  struct Ahead {
    const char* newline;
    std::uint64_t hash;
    Frame* frame;
  };
  Ahead batch[kBatchSize];
  std::size_t count = 0;
  for (const char* line = at; count < kBatchSize; ++count) {
    const auto rest = static_cast<std::size_t>(end - line);
    const auto* const newline = static_cast<const char*>(std::memchr(line, '\n', rest));
    if (newline == nullptr || end - newline < static_cast<std::ptrdiff_t>(kLinePadding)) break;
    const std::string_view text(line, static_cast<std::size_t>(newline - line));
    if (isTooLong(text) || !FrameCache::split(trail_.scope(), text, 0, state_.split)) break;
    batch[count] = {newline, FrameCache::hashOf(trail_.scope(), state_.split), nullptr};
    state_.cache.prefetch(batch[count].hash);
    line = newline + 1;
  }
  for (std::size_t i = 0; i < count; ++i) {
    batch[i].frame = state_.cache.find(batch[i].hash);
    if (batch[i].frame != nullptr) batch[i].frame->prefetch();
  }
  for (std::size_t i = 0; i < count; ++i) {
    Frame* const frame = batch[i].frame;
    if (frame == nullptr || frame->scope != trail_.scope().id) return at;
    const auto out = staging_.cursor(frame->sampleCount);
    if (matchFrame(*frame, at, end, options_, out) != batch[i].newline) return at;
    trail_.predict(frame);
    takeHit(frame);
    ++lineNumber_;
    ++lineCount_;
    at = batch[i].newline + 1;
  }
  return at;
}

// `limit` is the end of readable bytes. The bytes between the line and the limit are never content.
void TextParser::parseLine(std::string_view line, const char* limit) {
  ++lineNumber_;
  step_.take(kLineCost);
  if (line.starts_with(kGzipMark) && lineNumber_ == 1) {
    return fail(StatusCode::kInvalidRecord,
                "the body is gzip; send the header Content-Encoding: gzip");
  }
  if (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  if (isTooLong(line)) {
    const auto sizeMax = options_.limits.lineSizeMax;
    ++lineCount_;
    return reject(StatusCode::kLineTooLong,
                  "the line has more than " + std::to_string(sizeMax) + " bytes (max_line_bytes)",
                  line.substr(0, sizeMax));
  }
  if (dialect_.isBlank(line, options_)) return;
  ++lineCount_;
  if (limit - (line.data() + line.size()) < static_cast<std::ptrdiff_t>(kLinePadding)) {
    state_.padded.assign(line).append(kLinePadding, '\n');
    line = std::string_view(state_.padded).substr(0, line.size());
    limit = state_.padded.data() + state_.padded.size();
  }
  if (state_.cache.isOn() && parseByTemplate(line, limit)) return;
  parseSlowly(line);
}

bool TextParser::parseByTemplate(std::string_view line, const char* limit) {
  auto& cache = state_.cache;
  for (std::size_t i = 0; i < trail_.scope().templates.size(); ++i) {
    if (!FrameCache::split(trail_.scope(), line, i, state_.split)) continue;
    Frame* const frame = cache.find(FrameCache::hashOf(trail_.scope(), state_.split));
    if (frame == nullptr || frame->scope != trail_.scope().id) continue;
    const auto out = staging_.cursor(frame->sampleCount);
    if (matchFrame(*frame, line.data(), limit, options_, out) == nullptr) continue;
    FrameCache::promote(trail_.scope(), i);
    trail_.predict(frame);
    takeHit(frame);
    return true;
  }
  return false;
}

void TextParser::parseSlowly(std::string_view line) {
  step_.take(line.size());
  Record& record = state_.record;
  auto status = dialect_.read(line, options_, record);
  if (status.ok()) status = staging_.beginRecord(record, state_.found);
  if (status.ok()) status = staging_.proceedRecord(record, state_.found, step_);
  if (!status.ok()) return reject(status.code(), status.message(), line);
  if (!state_.found.isWhole()) return pauseIn(line);
  takeRecord(line, record, state_.found);
}

void TextParser::takeRecord(std::string_view line, const Record& record,
                            const Staging::RecordRefs& found) {
  staging_.addSamples(record, found);
  if (const auto status = staging_.checkPending(); !status.ok()) {
    return fail(status.code(), status.message());
  }
  legacyLineCount_ += record.isLegacy ? 1 : 0;
  for (std::size_t i = 0; i < skipped_.size(); ++i) skipped_[i] += record.skipped[i];
  if (state_.cache.isOn() && found.isHeldByIndex && record.isFrame) teach(line, record, found);
}

void TextParser::pauseIn(std::string_view line) {
  longLine_ = std::make_unique<LongLine>();
  longLine_->text = line;
  longLine_->number = lineNumber_;
  longLine_->record.takeFrom(state_.record, line, longLine_->text, longLine_->labels);
  std::swap(longLine_->found, state_.found);
  longLine_->found.refs.reserve(longLine_->record.samples.size());
  longLine_->memoryBytes = longLine_->text.capacity() + longLine_->labels.capacity() +
                           longLine_->record.memoryBytes() +
                           longLine_->found.refs.capacity() * sizeof(SeriesRef);
}

void TextParser::proceedLongLine() {
  LongLine& line = *longLine_;
  const Status status = staging_.proceedRecord(line.record, line.found, step_);
  if (status.ok() && !line.found.isWhole()) return;
  const std::unique_ptr<LongLine> taken = std::move(longLine_);
  const std::uint64_t number = std::exchange(lineNumber_, taken->number);
  if (status.ok()) {
    takeRecord(taken->text, taken->record, taken->found);
  } else {
    reject(status.code(), status.message(), taken->text);
  }
  lineNumber_ = number;
}

// Caches the frame of the line that was just staged. Its meaning cannot change: the index has its
// series and descriptor, and forgets neither. The next index generation may forget them, but it
// starts with an empty cache.
void TextParser::teach(std::string_view line, const Record& record,
                       const Staging::RecordRefs& found) {
  if (!state_.splitByMeaning(line, record, found)) return;
  trail_.teach(state_.split, record.isLegacy);
}

void TextParser::reject(StatusCode code, const std::string& message, std::string_view line) {
  // If the budget of the body is spent, the whole request is refused.
  if (!options_.isLenient || code == StatusCode::kPayloadTooLarge) return fail(code, message);
  const auto text = line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
  const Status added =
      rejections_.add({lineNumber_, code, "line " + std::to_string(lineNumber_) + ": " + message,
                       std::string(text)},
                      staging_.budget());
  if (!added.ok()) fail(added.code(), added.message());
}

void TextParser::fail(StatusCode code, const std::string& message) {
  error_ = Status(code, "line " + std::to_string(lineNumber_) + ": " + message);
}

}  // namespace

std::unique_ptr<IngestParser> makeTextParser(ParserState& state, IngestFormat format,
                                             const IngestOptions& options,
                                             std::unique_ptr<Dialect> (*make)()) {
  auto& impl = static_cast<ParserStateImpl&>(state);
  auto& dialect = impl.dialects[static_cast<std::size_t>(format)];
  if (!dialect) dialect = make();
  return std::make_unique<TextParser>(impl, *dialect, options);
}

}  // namespace seriesdb
