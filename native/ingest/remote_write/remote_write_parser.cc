// Reads each series once it is complete. The bytes of its labels come first and are the same in
// each request. So the frame cache knows a series by these bytes, and predicts the series that
// followed last time. For unknown series, the parser reads and checks the labels, and teaches the
// cache once the index holds the series. A long series is read twice, in steps: the first pass only
// counts its fields.
#include "ingest/remote_write/remote_write_parser.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "common/digest/hash.h"
#include "ingest/message_parser.h"
#include "ingest/parser_state.h"
#include "ingest/rejections.h"
#include "ingest/remote_write/messages.h"
#include "ingest/sent_labels.h"
#include "ingest/text/frame_match.h"

namespace seriesdb {
namespace {

// A native histogram is stored as two samples.
constexpr std::uint64_t kHistogramSamples = 2;
// Empty labels can make a series longer than its identity may be.
constexpr std::size_t kTaughtSizeMax = 4 * kIdentitySizeMax;

// True if only samples, and perhaps exemplars, follow a series' labels.
bool isSamples(Bytes part, SeriesContent& content) {
  return readContent(part, content) && content.labelCount == 0 && content.histogramCount == 0;
}

class RemoteWriteParser final : public MessageParser<RemoteWriteParser> {
 public:
  RemoteWriteParser(ParserStateImpl& state, const IngestOptions& options)
      : MessageParser(options.limits.bodySizeMax),
        state_(state),
        options_(options),
        trail_(state.cache, scopeKeyOf("remote_write", options)),
        staging_(options.limits.bodySizeMax) {}

  StagedSamples take() override;
  std::uint64_t refusedCount() const override {
    return staging_.count() + rejections_.count() + (error().ok() ? 0 : 1);
  }
  std::size_t memoryBytes() const override {
    return staging_.memoryBytes() + carriedBytes() + rejections_.memoryBytes();
  }

  BodyBudget& budget() { return staging_.budget(); }
  void enter();
  Status leave() {
    state_.cache.noteHits(std::exchange(hits_, 0));
    return checkSampleCount(staging_.count());
  }
  bool begin(const WireField& field);
  bool advance();

 private:
  // Rejected times by cause.
  struct BadTimes {
    std::uint64_t past = 0;  // Outside the range of times.
    std::uint64_t late = 0;  // Too far in the future.
  };
  struct LongSeries {
    Bytes bytes;
    WireReader reader;
    SeriesContent content;
    Status refusal;
    std::vector<SeriesRef> refs;  // Empty during the counting pass.
    BadTimes bad;
  };

  void skip(SkipReason reason, std::uint64_t count = 1) {
    skipped_[static_cast<std::size_t>(reason)] += count;
  }

  void takeMetadata(Bytes message);
  void takeSeries(Bytes series);
  bool takeKnown(Bytes series);
  void takeSole(const SentSample& sample, SeriesRef ref, Bytes series);
  Frame* knownFrame(Bytes series) const;
  void takeUnknown(Bytes series);
  Status findSeries(const SeriesContent& content);
  void stageContent(Bytes series, const SeriesContent& content);
  void teach(Bytes series);
  void takeSamples(Bytes part, const SeriesContent& content, SeriesRef ref, Bytes series);
  void takeHistograms(Bytes series, const SeriesContent& content, const SeriesRef* refs);
  void describeHistograms(std::uint64_t count);
  bool readOn();
  bool takePart(const WireField& field);
  bool countPart(const WireField& field);
  void stagePart(std::int64_t sent, std::span<const double> values,
                 std::span<const SeriesRef> refs);
  bool beginStaging();
  bool convert(std::int64_t sent, Timestamp& ts, BadTimes& bad) const;
  void rejectTimes(const BadTimes& bad, Bytes series);
  void rejectTimes(const BadTimes& bad);
  void reject(const Status& why, std::uint64_t count, const std::vector<Label>& labels);
  bool failDamaged() {
    return fail(invalidRecord("series " + std::to_string(seriesCount_) +
                              ": the message is damaged"));
  }

  ParserStateImpl& state_;
  IngestOptions options_;
  FrameTrail trail_;
  Staging staging_;
  LongSeries long_;
  std::uint64_t seriesCount_ = 0;
  std::uint64_t hits_ = 0;
  SkippedCounts skipped_{};
  Rejections rejections_;
  std::vector<Label> labels_;  // The labels of one series, as they were sent.
};

void RemoteWriteParser::enter() {
  staging_.use(state_.enter());
  trail_.follow();
}

StagedSamples RemoteWriteParser::take() {
  CHECK(error().ok());
  StagedSamples out;
  staging_.moveInto(out);
  out.keepsFirstDescriptors = true;
  out.rejected = rejections_.take();
  out.skipped = skipped_;
  out.lineCount = seriesCount_;
  return out;
}

bool RemoteWriteParser::begin(const WireField& field) {
  if (field.number == kSecondSeriesField) {
    fail(invalidRecord("the body is a version 2.0 request, but its Content-Type means 1.0"));
    return true;
  }
  if (field.number != kSeriesField && field.number != kMetadataField) return true;
  if (field.type != WireType::kBytes) {
    fail(invalidRecord("the body is not a Prometheus WriteRequest"));
  } else if (field.number == kMetadataField) {
    takeMetadata(field.bytes);
  } else if (!FieldPieces::isLong(field)) {
    takeSeries(field.bytes);
  } else {
    ++seriesCount_;
    labels_.clear();
    long_ = {field.bytes, WireReader(field.bytes), {}, {}, {}, {}};
    return false;
  }
  return true;
}

void RemoteWriteParser::takeMetadata(Bytes message) {
  if (message.size() > kRecordTextMax) return skip(SkipReason::kMetadataLimit);
  MetricFamily family;
  if (!readMetadata(message, family)) return void(fail(invalidRecord("the metadata is damaged")));
  const auto skipped = keepFamily(family, options_.limits.lineSizeMax, staging_);
  if (skipped) skip(*skipped);
  if (const Status fits = staging_.checkPending(); !fits.ok()) fail(fits);
}

void RemoteWriteParser::takeSeries(Bytes series) {
  ++seriesCount_;
  if (state_.cache.isOn() && takeKnown(series)) return;
  takeUnknown(series);
}

// False if the series is unknown, or has more than the known labels and samples.
bool RemoteWriteParser::takeKnown(Bytes series) {
  Frame* const frame = knownFrame(series);
  if (frame == nullptr) return false;
  const Bytes part = series.subspan(frame->textSize);
  SentSample sole;
  const bool isSole = readSoleSample(part, sole);
  SeriesContent content;
  if (!isSole && !isSamples(part, content)) return false;
  trail_.predict(frame);
  trail_.advance(frame);
  if (Frame* const next = trail_.predicted(); next != nullptr) next->prefetch();
  ++hits_;
  const SeriesRef ref = frame->slots()[0].meaning;
  if (isSole) {
    takeSole(sole, ref, series);
  } else {
    takeSamples(part, content, ref, series);
  }
  return true;
}

void RemoteWriteParser::takeSole(const SentSample& sample, SeriesRef ref, Bytes series) {
  const ColumnCursor out = staging_.cursor(1);
  BadTimes bad;
  *out.refs = ref;
  *out.values = sample.value;
  if (!convert(sample.ts, *out.ts, bad)) return rejectTimes(bad, series);
  staging_.advance(1);
}

Frame* RemoteWriteParser::knownFrame(Bytes series) const {
  const auto* const text = reinterpret_cast<const char*>(series.data());
  Frame* const next = trail_.predicted();
  if (next != nullptr && next->textSize <= series.size()) {
    const bool isEnd = next->textSize == series.size() || series[next->textSize] != kLabelTag;
    if (isEnd && equalText(text, next->text(), next->textSize)) return next;
  }
  const Bytes run = series.first(labelRunSize(series));
  Frame* const frame = state_.cache.find(tableHash(run, trail_.scope().seed));
  if (frame == nullptr || frame->scope != trail_.scope().id || frame->view() != asText(run)) {
    return nullptr;
  }
  return frame;
}

void RemoteWriteParser::takeUnknown(Bytes series) {
  SeriesContent content;
  labels_.clear();
  if (!readContent(series, content) || !readLabels(series, labels_)) return void(failDamaged());
  const std::uint64_t count =
      content.sampleCount + content.histogramCount * kHistogramSamples;
  if (count == 0) return skip(SkipReason::kExemplar, content.exemplarCount);
  if (const Status found = findSeries(content); !found.ok()) return reject(found, count, labels_);
  if (const Status fits = staging_.checkPending(); !fits.ok()) return void(fail(fits));
  stageContent(series, content);
}

// Finds the series for the samples, as samples of a record: the metric itself first, if it has
// samples, then its histogram series.
Status RemoteWriteParser::findSeries(const SeriesContent& content) {
  Record& record = state_.record;
  record.clear();
  std::string_view metric;
  Status status = checkSentCount(content.labelCount);
  if (status.ok()) status = takeLabels(labels_, record, metric);
  if (!status.ok()) return status;
  const auto add = [&record](std::string name) {
    record.samples.push_back({std::move(name), 0, nullptr, false});
  };
  if (content.sampleCount > 0) add(std::string(metric));
  if (content.histogramCount > 0) {
    add(std::string(metric) + "_count");
    add(std::string(metric) + "_sum");
    // Checks the longest name.
    status = checkName(record.samples[record.samples.size() - 2].metric, "the metric name");
  }
  if (status.ok()) status = finishLabels(options_.required, record);
  return status.ok() ? staging_.stageSeries(record, state_.found) : status;
}

void RemoteWriteParser::stageContent(Bytes series, const SeriesContent& content) {
  const auto& refs = state_.found.refs;
  takeSamples(series, content, refs.front(), series);
  if (!error().ok()) return;
  if (content.histogramCount > 0) {
    takeHistograms(series, content, &refs[refs.size() - kHistogramSamples]);
  } else if (state_.cache.isOn() && state_.found.isHeldByIndex) {
    teach(series);
  }
}

// The labels now stand for a series of the index, which does not change: see TextParser::teach().
void RemoteWriteParser::teach(Bytes series) {
  const Bytes run = series.first(labelRunSize(series));
  SeriesContent rest;
  if (run.size() > kTaughtSizeMax) return;
  if (!readContent(series.subspan(run.size()), rest) || rest.labelCount > 0) return;
  const SeriesRef ref = state_.found.refs.front();
  if (ref >= kSlotRefsMax) return;
  LineSplit& split = state_.split;
  split.text.assign(asText(run));
  split.slots.assign(1, {static_cast<std::uint32_t>(run.size()), ref});
  split.tailSize = 0;
  trail_.teach(split, false);
}

// `part` is the series, or its part after the labels.
void RemoteWriteParser::takeSamples(Bytes part, const SeriesContent& content, SeriesRef ref,
                                    Bytes series) {
  skip(SkipReason::kExemplar, content.exemplarCount);
  if (content.sampleCount == 0) return;
  const ColumnCursor out = staging_.cursor(static_cast<std::size_t>(content.sampleCount));
  std::size_t kept = 0;
  BadTimes bad;
  const bool isRead = forEach(part, kSampleField, [&](Bytes message) {
    SentSample sample;
    if (!readSample(message, sample)) return false;
    out.refs[kept] = ref;
    out.values[kept] = sample.value;
    kept += convert(sample.ts, out.ts[kept], bad) ? 1 : 0;
    return true;
  });
  if (!isRead) return void(failDamaged());
  staging_.advance(kept);
  if (bad.past + bad.late > 0) rejectTimes(bad, series);
}

void RemoteWriteParser::takeHistograms(Bytes series, const SeriesContent& content,
                                       const SeriesRef* refs) {
  const auto count = static_cast<std::size_t>(content.histogramCount * kHistogramSamples);
  const ColumnCursor out = staging_.cursor(count);
  std::size_t kept = 0;
  BadTimes bad;
  const bool isRead = forEach(series, kHistogramField, [&](Bytes message) {
    SentHistogram histogram;
    if (!readHistogram(message, histogram)) return false;
    const double values[] = {histogram.count, histogram.sum};
    Timestamp ts = 0;
    if (!convert(histogram.ts, ts, bad)) return true;
    for (std::size_t i = 0; i < kHistogramSamples; ++i, ++kept) {
      out.refs[kept] = refs[i];
      out.ts[kept] = ts;
      out.values[kept] = values[i];
    }
    return true;
  });
  if (!isRead) return void(failDamaged());
  staging_.advance(kept);
  describeHistograms(content.histogramCount);
  bad = {bad.past * kHistogramSamples, bad.late * kHistogramSamples};
  if (bad.past + bad.late > 0) rejectTimes(bad, series);
}

// REQUIRES: findSeries() was the last lookup.
void RemoteWriteParser::describeHistograms(std::uint64_t count) {
  skip(SkipReason::kNativeHistogram, count);
  const DescriptorView counter{"counter", {}, {}};
  const auto& samples = state_.record.samples;
  for (std::size_t i = samples.size() - kHistogramSamples; i < samples.size(); ++i) {
    if (!staging_.keepFirst(samples[i].metric, counter)) skip(SkipReason::kMetadataConflict);
  }
}

// Continues a long series.
bool RemoteWriteParser::advance() {
  if (long_.refs.empty()) {
    if (!readOn()) return !error().ok();
    if (!beginStaging()) return true;
  }
  if (!readOn()) return !error().ok();
  rejectTimes(long_.bad);
  long_ = {};
  return true;
}

// False if the step is used up, or the series is damaged.
bool RemoteWriteParser::readOn() {
  WireField field;
  while (!step().isUsedUp()) {
    const WireStep read = long_.reader.next(field);
    if (read == WireStep::kEnd) return true;
    if (read != WireStep::kField || !takePart(field)) return failDamaged();
    step().take(field.bytes.size() + StepAllowance::kFieldCost);
  }
  return false;
}

// False (here and below) if the field is damaged.
bool RemoteWriteParser::takePart(const WireField& field) {
  if (field.number > kHistogramField) return true;
  if (field.type != WireType::kBytes) return false;
  if (field.bytes.size() > kRecordTextMax) {
    long_.refusal = invalidRecord("a label or sample of it has more than " +
                                  std::to_string(kRecordTextMax) + " bytes");
  }
  if (long_.refs.empty()) return countPart(field);
  const std::span<const SeriesRef> refs(long_.refs);
  if (field.number == kSampleField) {
    SentSample sample;
    if (!readSample(field.bytes, sample)) return false;
    stagePart(sample.ts, std::span(&sample.value, 1), refs.first(1));
  } else if (field.number == kHistogramField) {
    SentHistogram histogram;
    if (!readHistogram(field.bytes, histogram)) return false;
    const double values[kHistogramSamples] = {histogram.count, histogram.sum};
    stagePart(histogram.ts, values, refs.last(kHistogramSamples));
  }
  return true;
}

bool RemoteWriteParser::countPart(const WireField& field) {
  SeriesContent& content = long_.content;
  std::uint64_t* const counts[] = {&content.labelCount, &content.sampleCount,
                                   &content.exemplarCount, &content.histogramCount};
  ++*counts[field.number - kLabelField];
  const bool isRead = field.number == kLabelField && field.bytes.size() <= kRecordTextMax;
  if (!isRead || labels_.size() == kSentLabelsMax) return true;
  return readLabel(field.bytes, labels_.emplace_back());
}

void RemoteWriteParser::stagePart(std::int64_t sent, std::span<const double> values,
                                  std::span<const SeriesRef> refs) {
  Timestamp ts = 0;
  BadTimes bad;
  if (!convert(sent, ts, bad)) {
    long_.bad.past += bad.past * values.size();
    long_.bad.late += bad.late * values.size();
    return;
  }
  const ColumnCursor out = staging_.cursor(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    out.refs[i] = refs[i];
    out.ts[i] = ts;
    out.values[i] = values[i];
  }
  staging_.advance(values.size());
}

// Begins the second pass over a long series. False if there is nothing to stage.
bool RemoteWriteParser::beginStaging() {
  const SeriesContent& content = long_.content;
  const std::uint64_t count = content.sampleCount + content.histogramCount * kHistogramSamples;
  if (count == 0) {
    skip(SkipReason::kExemplar, content.exemplarCount);
    return false;
  }
  const Status found = long_.refusal.ok() ? findSeries(content) : long_.refusal;
  if (!found.ok()) {
    reject(found, count, labels_);
    return false;
  }
  if (const Status fits = staging_.checkPending(); !fits.ok()) return fail(fits);
  skip(SkipReason::kExemplar, content.exemplarCount);
  if (content.histogramCount > 0) describeHistograms(content.histogramCount);
  long_.refs = state_.found.refs;
  long_.reader = WireReader(long_.bytes);
  return true;
}

bool RemoteWriteParser::convert(std::int64_t sent, Timestamp& ts, BadTimes& bad) const {
  const bool fits = convertTimestamp(sent, options_.conversion, ts);
  if (fits && ts <= options_.tsMax) return true;
  ++(fits ? bad.late : bad.past);
  return false;
}

void RemoteWriteParser::rejectTimes(const BadTimes& bad, Bytes series) {
  labels_.clear();
  if (!readLabels(series, labels_)) return void(failDamaged());
  rejectTimes(bad);
}

// REQUIRES: `labels_` are those of the series.
void RemoteWriteParser::rejectTimes(const BadTimes& bad) {
  if (bad.past > 0) reject(timeBeyondUnit(), bad.past, labels_);
  if (bad.late > 0 && error().ok()) reject(timeBeyondSkew(), bad.late, labels_);
}

void RemoteWriteParser::reject(const Status& why, std::uint64_t count,
                               const std::vector<Label>& labels) {
  const std::string error = labelsShown(labels) + ": " + why.message();
  if (!options_.isLenient || why.code() == StatusCode::kPayloadTooLarge) {
    return void(fail({why.code(), error}));
  }
  const Status added = rejections_.add({seriesCount_, why.code(), error,
                                        labelsShown(labels, options_.limits.lineSizeMax), count},
                                       staging_.budget());
  if (!added.ok()) fail(added);
}

}  // namespace

std::unique_ptr<IngestParser> makeRemoteWriteParser(ParserState& state,
                                                    const IngestOptions& options) {
  return std::make_unique<RemoteWriteParser>(static_cast<ParserStateImpl&>(state), options);
}

}  // namespace seriesdb
