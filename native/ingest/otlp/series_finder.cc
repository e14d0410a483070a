#include "ingest/otlp/series_finder.h"

#include <algorithm>
#include <utility>

#include "common/digest/hash.h"
#include "ingest/otlp/attribute_text.h"
#include "ingest/otlp/resource_labels.h"
#include "ingest/sent_labels.h"
#include "ingest/text/frame_match.h"

namespace seriesdb {
namespace {

// Sizes keep the parts of a key apart, whatever their content.
void appendSize(std::size_t size, std::string& key) {
  const auto stored = static_cast<std::uint32_t>(size);
  key.append(reinterpret_cast<const char*>(&stored), sizeof stored);
}

void appendPart(std::string_view part, std::string& key) {
  appendSize(part.size(), key);
  key += part;
}

void appendLabels(const OwnedLabels& labels, std::string& key) {
  appendSize(labels.size(), key);
  for (const auto& [name, value] : labels) {
    appendPart(name, key);
    appendPart(value, key);
  }
}

bool hasKey(const OwnedLabels& labels, std::string_view key) {
  return std::ranges::find(labels, key, &OwnedLabels::value_type::first) != labels.end();
}

}  // namespace

SeriesFinder::SeriesFinder(ParserStateImpl& state, const IngestOptions& options, Staging& staging)
    : state_(state),
      options_(options),
      staging_(staging),
      trail_(state.cache,
             scopeKeyOf(options.otlp.escapesNames ? "otlp, escaped" : "otlp", options)) {}

void SeriesFinder::enterScope(const OwnedLabels& fixed, const OwnedLabels& promoted) {
  fixed_ = &fixed;
  promoted_ = &promoted;
  key_.clear();
  appendLabels(fixed, key_);
  appendLabels(promoted, key_);
  scopeSize_ = key_.size();
}

void SeriesFinder::enterMetric(PointKind kind, std::string_view metric) {
  kind_ = kind;
  metric_ = metric;
  key_.resize(scopeSize_);
  key_ += static_cast<char>(kind);
  appendPart(metric, key_);
  headSize_ = key_.size();
}

Status SeriesFinder::begin(const SentPoint& point, std::vector<SeriesRef>& refs) {
  refs.clear();
  isDone_ = false;
  failure_ = {};
  if (state_.cache.isOn()) {
    writeKey(point);
    // Comparing and hashing a text costs an eighth of reading its labels.
    if (Status spent = staging_.budget().spend(key_.size() / 8); !spent.ok()) return spent;
    if (Frame* const frame = knownFrame(); frame != nullptr) {
      trail_.predict(frame);
      trail_.advance(frame);
      state_.cache.noteHits(1);
      for (std::uint32_t i = 0; i < frame->slotCount; ++i) {
        refs.push_back(frame->slots()[i].meaning);
      }
      isDone_ = true;
      return {};
    }
  }
  return list(point);
}

Status SeriesFinder::proceed(StepAllowance& step, bool mayPause, std::vector<SeriesRef>& refs) {
  // Other requests use the record between steps.
  state_.record.clear();
  while (failure_.ok() && next_ < series_.size()) {
    if (mayPause && step.isUsedUp()) return {};
    const std::size_t before = staging_.pendingSeriesCount();
    failure_ = stageOne(series_[next_++], refs.emplace_back());
    step.take((staging_.pendingSeriesCount() - before) * StepAllowance::kPendingCost);
  }
  if (!failure_.ok()) return undo(step, mayPause) ? failure_ : Status();
  isDone_ = true;
  if (isHeld_ && state_.cache.isOn()) teach(refs);
  return {};
}

// False if it pauses.
bool SeriesFinder::undo(StepAllowance& step, bool mayPause) {
  while (staging_.pendingSeriesCount() > pendingBefore_) {
    if (mayPause && step.isUsedUp()) return false;
    staging_.forgetPendingSeries(staging_.pendingSeriesCount() - 1);
    step.take(StepAllowance::kPendingCost);
  }
  return true;
}

const std::vector<Label>& SeriesFinder::labelsOf(const SentPoint& point) {
  (void)readLabels(point);
  return sent_;
}

std::size_t SeriesFinder::memoryBytes() const {
  constexpr std::size_t kSeriesBytes = sizeof(PointSeries) + 32;  // A bound or quantile as text.
  return metric_.capacity() + key_.capacity() + heapBytesOf(attributes_) +
         (sent_.capacity() + base_.capacity()) * sizeof(Label) + series_.capacity() * kSeriesBytes;
}

void SeriesFinder::forgetPoint() {
  attributes_ = {};
  series_ = {};
}

void SeriesFinder::writeKey(const SentPoint& point) {
  key_.resize(headSize_);
  std::size_t size = 0;
  for (const Bytes run : point.attributes) size += run.size();
  appendSize(size, key_);
  for (const Bytes run : point.attributes) key_ += asText(run);
  appendShape(kind_, point, key_);
}

Frame* SeriesFinder::knownFrame() const {
  Frame* const next = trail_.predicted();
  if (next != nullptr && next->textSize == key_.size() &&
      equalText(key_.data(), next->text(), key_.size())) {
    return next;
  }
  Frame* const frame = state_.cache.find(tableHash(asBytes(key_), trail_.scope().seed));
  if (frame == nullptr || frame->scope != trail_.scope().id || frame->view() != key_) {
    return nullptr;
  }
  return frame;
}

// Fixed labels override attributes of the point, and these override promoted labels.
Status SeriesFinder::readLabels(const SentPoint& point) {
  const Status status = readAttributes(point);
  if (options_.otlp.escapesNames) escapeKeys();
  sent_.assign(1, {kMetricKey, metric_});
  for (const auto& [key, value] : attributes_) {
    if (!hasKey(*fixed_, key)) sent_.push_back({key, value});
  }
  for (const auto& [key, value] : *promoted_) {
    if (!hasKey(attributes_, key) && !hasKey(*fixed_, key)) sent_.push_back({key, value});
  }
  for (const auto& [key, value] : *fixed_) sent_.push_back({key, value});
  return status;
}

Status SeriesFinder::readAttributes(const SentPoint& point) {
  attributes_.clear();
  Status status;
  for (const Bytes run : point.attributes) {
    const bool isRead = readFields(run, [&](const WireField& field) {
      // A point with more attributes is refused later.
      if (attributes_.size() == kSentLabelsMax) return true;
      SentAttribute sent;
      if (!readAttribute(field.bytes, sent)) return false;
      auto& [key, value] = attributes_.emplace_back(std::string(sent.key), std::string());
      status = appendAttributeText(sent.value, value);
      return status.ok();
    });
    if (!status.ok()) return status;
    if (!isRead) return invalidRecord("an attribute is damaged");
  }
  return {};
}

// If escaping makes keys equal, their values are joined in the order of the original keys.
void SeriesFinder::escapeKeys() {
  std::ranges::stable_sort(attributes_, {}, &OwnedLabels::value_type::first);
  OwnedLabels escaped;
  for (auto& [key, value] : attributes_) {
    std::string label = labelKeyOf(key, options_.otlp);
    const auto earlier = std::ranges::find(escaped, label, &OwnedLabels::value_type::first);
    if (earlier == escaped.end()) {
      escaped.emplace_back(std::move(label), std::move(value));
    } else {
      earlier->second.append(";").append(value);
    }
  }
  attributes_ = std::move(escaped);
}

// Lists the labels and the series of the point, without staging any.
Status SeriesFinder::list(const SentPoint& point) {
  if (Status status = readLabels(point); !status.ok()) return status;
  Record& record = state_.record;
  record.clear();
  std::string_view metric;
  if (Status status = takeLabels(sent_, record, metric); !status.ok()) return status;
  base_ = record.labels;
  if (Status fits = checkSize(point); !fits.ok()) return fits;
  listPointSeries(kind_, point, series_);
  next_ = 0;
  pendingBefore_ = staging_.pendingSeriesCount();
  isHeld_ = true;
  return {};
}

// Checks the total size, because each series of the point repeats all labels.
Status SeriesFinder::checkSize(const SentPoint& point) const {
  constexpr std::size_t kOverhead = 32;  // The cost of sorting and writing a label again.
  constexpr std::size_t kSeriesOverhead = 128;
  std::size_t size = metric_.size() + kSeriesOverhead;
  for (const Label& label : base_) size += label.key.size() + label.value.size() + kOverhead;
  size *= pointSeriesCount(kind_, point);
  return size <= kRecordTextMax ? Status() : tooMuchText(size);
}

Status SeriesFinder::stageOne(const PointSeries& series, SeriesRef& ref) {
  Record& record = state_.record;
  record.labels = base_;
  if (!series.key.empty()) {
    if (std::ranges::find(base_, series.key, &Label::key) != base_.end()) {
      return invalidRecord("the point already has the attribute " + inQuotes(series.key) +
                           ", which its series need as a label");
    }
    record.labels.push_back({series.key, series.value});
  }
  record.samples.assign(1, {metric_ + std::string(series.suffix), 0, nullptr, false});
  Status status = checkName(record.samples.front().metric, "the metric name");
  if (status.ok()) status = finishLabels(options_.required, record);
  if (status.ok()) status = staging_.stageSeries(record, state_.found);
  if (!status.ok()) return status;
  ref = state_.found.refs.front();
  isHeld_ = isHeld_ && state_.found.isHeldByIndex;
  return {};
}

// The key now stands for series of the index, which do not change: see TextParser::teach().
void SeriesFinder::teach(const std::vector<SeriesRef>& refs) {
  LineSplit& split = state_.split;
  split.text = key_;
  split.tailSize = 0;
  split.slots.clear();
  for (const SeriesRef ref : refs) {
    if (ref >= kSlotRefsMax) return;
    const std::size_t size = split.slots.empty() ? key_.size() : 0;
    split.slots.push_back({static_cast<std::uint32_t>(size), ref});
  }
  trail_.teach(split, false);
}

}  // namespace seriesdb
