#include "query/answers/discovery_reader.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "common/base/numbers/json_number.h"
#include "common/types/identity.h"

namespace seriesdb {
namespace {

// Rows of one step. A reader can be cancelled between steps.
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

// Appends `,"key":"text"`, or nothing if there is no text.
void appendIfThere(std::string& out, std::string_view key, const std::optional<std::string>& text) {
  if (!text) return;
  out.append(",\"").append(key).append("\":");
  appendJsonString(out, *text);
}

bool isAll(const SeriesFilter& filter) {
  return filter.name.kind == NameFilter::Kind::kAny && !filter.speaksOfLabels();
}

// True if the filter is at most a prefix of names.
bool isPrefixOnly(const SeriesFilter& filter) {
  return filter.name.kind != NameFilter::Kind::kOneOf && !filter.speaksOfLabels();
}

// A text of a column and the count of its series.
struct TextCount {
  std::string_view text;
  std::uint64_t count = 0;
};

std::vector<TextCount> countTexts(const TextCodes& column) {
  std::vector<TextCount> counts;
  for (const std::string_view text : column.texts) counts.push_back({text});
  for (const std::uint32_t code : column.codes) {
    if (code != TextCodes::kMissing) ++counts[code].count;
  }
  return counts;
}

bool isMissing(const Descriptor& descriptor) {
  return !descriptor.kind || !descriptor.unit || !descriptor.description;
}

void sortMetrics(Discovery::Order order, std::vector<MetricFacts>& metrics) {
  std::ranges::stable_sort(metrics, [order](const MetricFacts& a, const MetricFacts& b) {
    switch (order) {
      case Discovery::Order::kSeriesCount:
        return a.seriesCount > b.seriesCount;
      case Discovery::Order::kInactiveCount:
        return a.inactiveCount > b.inactiveCount;
      case Discovery::Order::kLastTs:
        return a.bounds.end < b.bounds.end;
      case Discovery::Order::kUsual:
        break;
    }
    return false;
  });
}

std::string_view prefixOf(const NameFilter& name) {
  return name.kind == NameFilter::Kind::kPrefix ? name.names[0] : "";
}

}  // namespace

std::optional<std::vector<SeriesRef>> DiscoveryReader::selectFew() const {
  auto few = index_->selectFew(discovery_.filter);
  return few && few->size() <= kSeriesPerStep ? few : std::nullopt;
}

std::vector<SeriesRef> DiscoveryReader::select() {
  return few_ ? std::move(*few_) : index_->select(discovery_.filter);
}

QueryLimits DiscoveryReader::limitsOf(const Engine& engine) {
  QueryLimits limits;
  limits.countedIn = &engine;
  return limits;
}

Status DiscoveryReader::hold() {
  std::uint64_t bytes = refs_.capacity() * sizeof(SeriesRef) +
                        values_.capacity() * sizeof(std::string_view) +
                        metrics_.capacity() * sizeof(MetricFacts);
  for (const MetricFacts& facts : metrics_) {
    bytes += facts.labelKeys.capacity() * sizeof(std::string_view);
  }
  return memory_.hold(bytes);
}

Status DiscoveryReader::next(std::string& piece) {
  piece.clear();
  if (isClosed_) return Status::okStatus();
  if (discovery_.answer == Discovery::Answer::kValueCounts) {
    stepCounts(piece);
    isClosed_ = true;
    return Status::okStatus();
  }
  const bool isValues = discovery_.answer == Discovery::Answer::kLabelValues;
  if (!isOpen_) piece.append(isValues ? "{\"values\":[" : "[");
  isOpen_ = true;
  while (!isDone_ && piece.size() < kPieceSize) {
    if (isCancelled()) return {StatusCode::kClosed, "the read was cancelled"};
    const bool wasSelected = isSelected_;
    step(piece);
    if (isSelected_ == wasSelected) continue;
    if (Status held = hold(); !held.ok()) return held;
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
    case Discovery::Answer::kValueCounts:
      return;
  }
}

std::size_t DiscoveryReader::rowsLeft(std::size_t most) const {
  return static_cast<std::size_t>(std::min<std::uint64_t>(most, discovery_.limit - rows_));
}

void DiscoveryReader::beginRow(std::string& piece) {
  if (rows_++ > 0) piece.push_back(',');
}

void DiscoveryReader::stepSeries(std::string& piece) {
  if (!isSelected_) findSeries();
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

void DiscoveryReader::findSeries() {
  refs_ = select();
  if (const auto after = discovery_.afterId) {
    std::erase_if(refs_, [&](SeriesRef ref) { return index_->idOf(ref) <= *after; });
  }
  index_->sortById(refs_, rowsLeft(SIZE_MAX));
  isSelected_ = true;
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
  const bool isListed = listMetrics();
  if (!isListed && !isSelected_) findMetrics();
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

// Lists the next metrics by name without reading series. False if all metrics must be found at once
// instead.
bool DiscoveryReader::listMetrics() {
  const SeriesFilter& filter = discovery_.filter;
  if (!isPrefixOnly(filter) || discovery_.order != Discovery::Order::kUsual) return false;
  const bool isPicking = discovery_.only != Discovery::Only::kAll;
  const std::size_t count = isPicking ? kMetricsPerStep : rowsLeft(kMetricsPerStep);
  metrics_ = index_->metrics({prefixOf(filter.name), last_, count}, discovery_.inactiveBefore);
  written_ = 0;
  isDone_ = metrics_.size() < count;
  if (!metrics_.empty()) last_ = metrics_.back().name;
  if (isPicking) std::erase_if(metrics_, [&](const auto& facts) { return !isWanted(facts); });
  metrics_.resize(std::min(metrics_.size(), rowsLeft(SIZE_MAX)));
  return true;
}

void DiscoveryReader::findMetrics() {
  const SeriesFilter& filter = discovery_.filter;
  metrics_ = isPrefixOnly(filter)
                 ? index_->metrics({prefixOf(filter.name), last_}, discovery_.inactiveBefore)
                 : index_->metricsOf(select(), discovery_.inactiveBefore);
  std::erase_if(metrics_, [&](const MetricFacts& facts) {
    return (last_ && facts.name <= *last_) || !isWanted(facts);
  });
  sortMetrics(discovery_.order, metrics_);
  metrics_.resize(std::min(metrics_.size(), rowsLeft(SIZE_MAX)));
  isSelected_ = true;
}

bool DiscoveryReader::isWanted(const MetricFacts& facts) const {
  switch (discovery_.only) {
    case Discovery::Only::kInactive:
      return facts.inactiveCount > 0;
    case Discovery::Only::kUndocumented:
      return isMissing(index_->descriptorOf(facts.name));
    case Discovery::Only::kAll:
      break;
  }
  return true;
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

// The time, the value, then the label keys. The types match the catalog.
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
    values_ = index_->labelValues(discovery_.labelKey, part, select());
    isSelected_ = true;
  }
  for (std::size_t i = 0; i < kValuesPerStep && written_ < values_.size(); ++i) {
    beginRow(piece);
    appendJsonString(piece, values_[written_++]);
  }
  if (!isListed) isDone_ = written_ == values_.size();
}

// Counts are known only after all series are read, so all values come at once.
void DiscoveryReader::stepCounts(std::string& piece) {
  const auto refs = select();
  auto counts = countTexts(index_->codeLabel(discovery_.labelKey, refs));
  std::erase_if(counts, [this](const TextCount& one) {
    return one.count == 0 || !one.text.starts_with(discovery_.valuePrefix) ||
           (last_ && one.text <= *last_);
  });
  if (discovery_.order == Discovery::Order::kSeriesCount) {
    std::ranges::stable_sort(counts, std::greater(), &TextCount::count);
  }
  counts.resize(std::min(counts.size(), rowsLeft(SIZE_MAX)));
  std::vector<std::string_view> texts;
  for (const TextCount& one : counts) texts.push_back(one.text);
  piece.append("{\"values\":");
  appendTexts(piece, texts);
  piece.append(",\"series_counts\":[");
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (i > 0) piece.push_back(',');
    appendInteger(piece, static_cast<std::int64_t>(counts[i].count));
  }
  piece.append("]}");
}

}  // namespace seriesdb
