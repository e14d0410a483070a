#include "answer/discovery_reader.h"

#include <algorithm>
#include <utility>

#include "base/json_number.h"
#include "model/identity.h"

namespace seriesdb {
namespace {

// Rows of one step; between steps a reader can be cancelled.
constexpr std::size_t kSeriesPerStep = 256;
constexpr std::size_t kMetricsPerStep = 256;
constexpr std::size_t kValuesPerStep = 4096;

void appendBounds(std::string& out, TimeRange bounds) {
  out.append(",\"first_ts\":");
  appendInteger(out, bounds.start);
  out.append(",\"last_ts\":");
  appendInteger(out, bounds.end);
}

void appendTexts(std::string& out, std::span<const std::string_view> texts) {
  out.push_back('[');
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) out.push_back(',');
    appendJsonString(out, texts[i]);
  }
  out.push_back(']');
}

// `,"key":"text"`, or nothing when there is no text.
void appendIfThere(std::string& out, std::string_view key, const std::optional<std::string>& text) {
  if (!text) return;
  out.append(",\"").append(key).append("\":");
  appendJsonString(out, *text);
}

bool isAll(const SeriesFilter& filter) {
  return filter.name.kind == NameFilter::Kind::kAny && !filter.speaksOfLabels();
}

// A filter that only says how the names begin.
bool isPrefixOnly(const SeriesFilter& filter) {
  return filter.name.kind != NameFilter::Kind::kOneOf && !filter.speaksOfLabels();
}

std::string_view prefixOf(const NameFilter& name) {
  return name.kind == NameFilter::Kind::kPrefix ? name.names[0] : "";
}

}  // namespace

Status DiscoveryReader::next(std::string& piece) {
  piece.clear();
  if (isClosed_) return Status::okStatus();
  const bool isValues = discovery_.answer == Discovery::Answer::kLabelValues;
  if (!isOpen_) piece.append(isValues ? "{\"values\":[" : "[");
  isOpen_ = true;
  while (!isDone_ && piece.size() < kPieceSize) {
    if (isCancelled()) return {StatusCode::kClosed, "the read was cancelled"};
    step(piece);
  }
  if (!isDone_) return Status::okStatus();
  piece.append(isValues ? "]}" : "]");
  isClosed_ = true;
  return Status::okStatus();
}

void DiscoveryReader::step(std::string& piece) {
  isDone_ = rows_ >= discovery_.limit;
  if (isDone_) return;
  switch (discovery_.answer) {
    case Discovery::Answer::kSeriesIds:
    case Discovery::Answer::kSeries:
      return stepSeries(piece);
    case Discovery::Answer::kMetrics:
    case Discovery::Answer::kHealth:
    case Discovery::Answer::kAttributes:
      return stepMetrics(piece);
    case Discovery::Answer::kLabelValues:
      return stepValues(piece);
  }
}

std::size_t DiscoveryReader::rowsLeft(std::size_t most) const {
  return static_cast<std::size_t>(std::min<std::uint64_t>(most, discovery_.limit - rows_));
}

void DiscoveryReader::beginRow(std::string& piece) {
  if (rows_++ > 0) piece.push_back(',');
}

void DiscoveryReader::stepSeries(std::string& piece) {
  if (!isSelected_) {
    refs_ = index_->select(discovery_.filter);
    index_->sortById(refs_, rowsLeft(SIZE_MAX));
    isSelected_ = true;
  }
  const std::size_t count = std::min(kSeriesPerStep, refs_.size() - written_);
  const auto part = std::span(refs_).subspan(written_, count);
  written_ += count;
  isDone_ = written_ == refs_.size();
  if (discovery_.answer == Discovery::Answer::kSeries) {
    index_->describe(part, batch_);
    return appendSeries(piece, batch_);
  }
  for (const SeriesRef ref : part) {
    beginRow(piece);
    appendInteger(piece, static_cast<std::int64_t>(index_->idOf(ref)));
  }
}

void DiscoveryReader::appendSeries(std::string& piece, const SeriesBatch& batch) {
  std::size_t pair = 0;
  for (const SeriesFacts& series : batch.series) {
    beginRow(piece);
    piece.append("{\"series_id\":");
    appendInteger(piece, static_cast<std::int64_t>(series.id));
    piece.append(",\"metric\":");
    appendJsonString(piece, series.name);
    piece.append(",\"labels\":{");
    for (std::uint32_t i = 0; i < series.pairCount; ++i) {
      if (i > 0) piece.push_back(',');
      piece.append(batch.pairs[pair++]);
    }
    piece.push_back('}');
    appendBounds(piece, series.bounds);
    piece.push_back('}');
  }
}

void DiscoveryReader::stepMetrics(std::string& piece) {
  const SeriesFilter& filter = discovery_.filter;
  const bool isListed = isPrefixOnly(filter);
  if (isListed) {
    const std::size_t count = rowsLeft(kMetricsPerStep);
    metrics_ = index_->metrics({prefixOf(filter.name), last_, count}, discovery_.inactiveBefore);
    written_ = 0;
    isDone_ = metrics_.size() < count;
    if (!metrics_.empty()) last_ = metrics_.back().name;
  } else if (!isSelected_) {
    metrics_ = index_->metricsOf(index_->select(filter), discovery_.inactiveBefore);
    metrics_.resize(std::min(metrics_.size(), rowsLeft(SIZE_MAX)));
    isSelected_ = true;
  }
  for (std::size_t i = 0; i < kMetricsPerStep && written_ < metrics_.size(); ++i) {
    const MetricFacts& facts = metrics_[written_++];
    if (discovery_.answer == Discovery::Answer::kAttributes) {
      appendAttributes(piece, facts);
    } else {
      beginRow(piece);
      appendMetric(piece, facts);
    }
  }
  if (!isListed) isDone_ = written_ == metrics_.size();
}

void DiscoveryReader::appendMetric(std::string& piece, const MetricFacts& facts) const {
  const bool isHealth = discovery_.answer == Discovery::Answer::kHealth;
  const Descriptor descriptor = index_->descriptorOf(facts.name);
  piece.append("{\"metric\":");
  appendJsonString(piece, facts.name);
  appendIfThere(piece, "kind", descriptor.kind.value_or("gauge"));
  if (!isHealth) {
    appendIfThere(piece, "unit", descriptor.unit);
    appendIfThere(piece, "description", descriptor.description);
  }
  piece.append(",\"series_count\":");
  appendInteger(piece, facts.seriesCount);
  if (isHealth) {
    piece.append(",\"inactive_series_count\":");
    appendInteger(piece, facts.inactiveCount);
    const bool isInactive = discovery_.inactiveBefore && facts.inactiveCount == facts.seriesCount;
    piece.append(isInactive ? ",\"inactive\":true" : ",\"inactive\":false");
  }
  piece.append(",\"label_keys\":");
  appendTexts(piece, facts.labelKeys);
  if (isHealth) {
    std::vector<std::string_view> missing;
    if (!descriptor.kind) missing.push_back("kind");
    if (!descriptor.unit) missing.push_back("unit");
    if (!descriptor.description) missing.push_back("description");
    piece.append(",\"missing_metadata\":");
    appendTexts(piece, missing);
  }
  appendBounds(piece, facts.bounds);
  piece.push_back('}');
}

// The time, the value, then the label keys; the types are those that the catalog lists.
void DiscoveryReader::appendAttributes(std::string& piece, const MetricFacts& facts) {
  const auto append = [&](std::string_view name, std::string_view type) {
    beginRow(piece);
    piece.append("{\"class\":");
    appendJsonString(piece, facts.name);
    piece.append(",\"name\":");
    appendJsonString(piece, name);
    piece.append(",\"type\":\"").append(type).append("\"}");
  };
  append("ts", "timestamp");
  append("value", "double");
  for (const std::string_view key : facts.labelKeys) append(key, "label");
}

void DiscoveryReader::stepValues(std::string& piece) {
  const SeriesFilter& filter = discovery_.filter;
  const bool isListed = isAll(filter);
  ListPart part{discovery_.valuePrefix, last_, rowsLeft(kValuesPerStep)};
  if (isListed) {
    values_ = index_->labelValues(discovery_.labelKey, part);
    written_ = 0;
    isDone_ = values_.size() < part.countMax;
    if (!values_.empty()) last_ = values_.back();
  } else if (!isSelected_) {
    part.countMax = rowsLeft(SIZE_MAX);
    values_ = index_->labelValues(discovery_.labelKey, part, index_->select(filter));
    isSelected_ = true;
  }
  for (std::size_t i = 0; i < kValuesPerStep && written_ < values_.size(); ++i) {
    beginRow(piece);
    appendJsonString(piece, values_[written_++]);
  }
  if (!isListed) isDone_ = written_ == values_.size();
}

}  // namespace seriesdb
