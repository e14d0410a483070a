#include "ingest/text_parser.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "ingest/frame_match.h"
#include "ingest/parser_state.h"
#include "ingest/rejections.h"

namespace seriesdb {
namespace {

// Sizes inside a frame have 32 bits.
constexpr std::size_t kLineSizeMaxMax = 1u << 30;
// So many wrong predictions in a row make prediction rare, as each one touches a cold frame; lines
// are then looked up in batches, so that their cache misses overlap.
constexpr unsigned kMissStreak = 8;
constexpr unsigned kRarePrediction = 4;
constexpr std::size_t kBatchSize = 16;
// Editors and spreadsheets begin files with it, and files are joined; it is no part of a name.
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

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
  Status finish() override;
  StagedSamples take() override;
  std::uint64_t refusedCount() const override {
    return staging_.count() + rejections_.count() + (error_.ok() ? 0 : 1);
  }
  std::size_t memoryBytes() const override {
    return staging_.memoryBytes() + carried_.capacity() + rejections_.memoryBytes();
  }

 private:
  // At the begin of each part of the request, and nowhere else: a frame that was found is lost.
  void enter() {
    staging_.use(state_.enter());
    trail_.follow();
  }
  bool isTooLong(std::string_view line) const {
    return line.size() - (line.ends_with('\r') ? 1 : 0) > options_.limits.lineSizeMax;
  }
  bool isOrderKnown() const { return missStreak_ < kMissStreak; }
  bool predicts() { return isOrderKnown() || ++skippedPredictions_ % kRarePrediction == 0; }

  void parseText(std::string_view text);
  std::size_t resumeLine(std::string_view text);
  void carry(std::string_view piece);
  void endLine();
  const char* parsePredicted(const char* at, const char* end);
  const char* parseBatch(const char* at, const char* end);
  void parseLine(std::string_view line, const char* limit);
  bool parseByTemplate(std::string_view line, const char* limit);
  void parseSlowly(std::string_view line);
  void teach(std::string_view line);
  void takeHit(Frame* frame);
  void reject(StatusCode code, const std::string& message, std::string_view line);
  void fail(StatusCode code, const std::string& message);

  ParserStateImpl& state_;
  Dialect& dialect_;
  IngestOptions options_;
  FrameTrail trail_;
  Staging staging_;
  LineSearch search_;
  std::string carried_;  // The start of an unfinished line, at most lineSizeMax + 2 bytes of it.
  bool isSkipping_ = false;  // In the rest of a line that was rejected as too long.
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
  if (!error_.ok()) return error_;
  enter();
  const Bytes taken = staging_.budget().arrive(chunk);
  parseText(asText(taken));
  if (error_.ok() && taken.size() < chunk.size()) {
    ++lineNumber_;
    const Status tooLarge = tooLargeBody(options_.limits.bodySizeMax);
    fail(tooLarge.code(), tooLarge.message());
  }
  const Status fits = checkSampleCount(staging_.count());
  if (error_.ok() && !fits.ok()) fail(fits.code(), fits.message());
  state_.cache.noteHits(hits_);
  hits_ = 0;
  return error_;
}

Status TextParser::finish() {
  if (!error_.ok()) return error_;
  enter();
  if (!carried_.empty()) parseLine(carried_, carried_.data() + carried_.size());
  carried_.clear();
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
  return out;
}

void TextParser::parseText(std::string_view text) {
  text.remove_prefix(resumeLine(text));
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end && error_.ok()) {
    if (predicts()) {
      at = parsePredicted(at, end);
      if (at == end) return;
    }
    if (!isOrderKnown() && !trail_.scope().templates.empty()) {
      at = parseBatch(at, end);
      if (at == end) return;
    }
    const char* const newline = dialect_.findEnd(at, end, search_);
    if (newline == nullptr) return carry({at, static_cast<std::size_t>(end - at)});
    parseLine({at, static_cast<std::size_t>(newline - at)}, end);
    endLine();
    at = newline + 1;
  }
}

// Ends the line that an earlier chunk began. Returns how much of the text it took.
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

// The line is counted already; what it held of newlines is not.
void TextParser::endLine() {
  lineNumber_ += search_.newlines;
  search_ = {};
}

// Keeps an unfinished line, or rejects it when no ending could make it short enough.
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

// Takes lines as long as each is the one that followed the line before it the last time.
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

// Takes known lines in any order, as far as the first that is not of the latest template or no hit.
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

// `limit`: where readable bytes end. What stands between the line and it is never taken for
// content.
void TextParser::parseLine(std::string_view line, const char* limit) {
  ++lineNumber_;
  if (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  if (isTooLong(line)) {
    const auto sizeMax = options_.limits.lineSizeMax;
    ++lineCount_;
    return reject(StatusCode::kLineTooLong,
                  "the line has more than " + std::to_string(sizeMax) + " bytes (max_line_bytes)",
                  line.substr(0, sizeMax));
  }
  if (dialect_.isBlank(line)) return;
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
  auto status = dialect_.read(line, options_, state_.record);
  if (status.ok()) status = staging_.stageRecord(state_.record, state_.found);
  if (!status.ok()) return reject(status.code(), status.message(), line);
  if (status = staging_.checkPending(); !status.ok()) {
    return fail(status.code(), status.message());
  }
  legacyLineCount_ += state_.record.isLegacy ? 1 : 0;
  for (std::size_t i = 0; i < skipped_.size(); ++i) skipped_[i] += state_.record.skipped[i];
  if (state_.cache.isOn() && state_.found.isHeldByIndex && state_.record.isFrame) teach(line);
}

// Holds the frame of the line that was just staged. It cannot come to mean something else: its
// series and its descriptor are in the index, which forgets neither; its next generation, which
// may, finds the cache empty.
void TextParser::teach(std::string_view line) {
  if (!state_.splitByMeaning(line)) return;
  trail_.teach(state_.split, state_.record.isLegacy);
}

void TextParser::reject(StatusCode code, const std::string& message, std::string_view line) {
  // The request is refused whole where the budget of its body is spent.
  if (!options_.isLenient || code == StatusCode::kPayloadTooLarge) return fail(code, message);
  const auto text = line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
  const Status added = rejections_.add(
      {lineNumber_, code, "line " + std::to_string(lineNumber_) + ": " + message,
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
