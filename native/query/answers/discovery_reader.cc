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
                        counts_.capacity() * sizeof(TextCount) +
                        metrics_.capacity() * sizeof(MetricFacts);
  for (const MetricFacts& facts : metrics_) {
    bytes += facts.labelKeys.capacity() * sizeof(std::string_view);
  }
  return memory_.hold(bytes);
}

Status DiscoveryReader::next(std::string& piece) {
  piece.clear();
  if (isClosed_) return Status::okStatus();
  const bool isValues = discovery_.answer == Discovery::Answer::kLabelValues ||
                        discovery_.answer == Discovery::Answer::kValueCounts;
  if (!isOpen_) piece.append(isValues ? "{\"values\":[" : "[");
  isOpen_ = true;
  while (!isDone_ && !isFull(piece)) {
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
  if (discovery_.answer == Discovery::Answer::kValueCounts) return stepCounts(piece);
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
  if (discovery_.answer == Discovery::Answer::kSeries) {
    index_->describe(part, batch_);
    written_ += appendSeries(piece, batch_);
  } else {
    for (const SeriesRef ref : part) {
      beginRow(piece);
      appendInteger(piece, static_cast<std::int64_t>(index_->idOf(ref)));
    }
    written_ += count;
  }
  isDone_ = written_ == refs_.size();
}

void DiscoveryReader::findSeries() {
  refs_ = select();
  if (const auto after = discovery_.afterId) {
    std::erase_if(refs_, [&](SeriesRef ref) { return index_->idOf(ref) <= *after; });
  }
  index_->sortById(refs_, rowsLeft(SIZE_MAX));
  isSelected_ = true;
}

// Returns the count of appended series: a piece that is full takes no more.
std::size_t DiscoveryReader::appendSeries(std::string& piece, const SeriesBatch& batch) {
  std::size_t count = 0;
  std::size_t pair = 0;
  for (const SeriesFacts& series : batch.series) {
    if (isFull(piece)) break;
    ++count;
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
  return count;
}

void DiscoveryReader::stepMetrics(std::string& piece) {
  if (written_ == metrics_.size() && !isSelected_ && !listMetrics()) findMetrics();
  for (std::size_t i = 0; i < kMetricsPerStep && written_ < metrics_.size(); ++i) {
    if (isFull(piece)) break;
    const MetricFacts& facts = metrics_[written_++];
    if (discovery_.answer == Discovery::Answer::kAttributes) {
      appendAttributes(piece, facts);
    } else {
      beginRow(piece);
      appendMetric(piece, facts);
    }
  }
  isDone_ = isSelected_ && written_ == metrics_.size();
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
  isSelected_ = metrics_.size() < count;
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
  if (written_ == values_.size() && !isSelected_) findValues();
  for (std::size_t i = 0; i < kValuesPerStep && written_ < values_.size(); ++i) {
    if (isFull(piece)) break;
    beginRow(piece);
    appendJsonString(piece, values_[written_++]);
  }
  isDone_ = isSelected_ && written_ == values_.size();
}

// Lists the next values without reading series. With a filter, finds all values at once.
void DiscoveryReader::findValues() {
  const bool isListed = isAll(discovery_.filter);
  const std::size_t countMax = rowsLeft(isListed ? kValuesPerStep : SIZE_MAX);
  const ListPart part{discovery_.valuePrefix, last_, countMax};
  values_ = isListed ? index_->labelValues(discovery_.labelKey, part)
                     : index_->labelValues(discovery_.labelKey, part, select());
  written_ = 0;
  isSelected_ = !isListed || values_.size() < countMax;
  if (!values_.empty()) last_ = values_.back();
}

// First all values, then all counts.
void DiscoveryReader::stepCounts(std::string& piece) {
  if (!isSelected_) findCounts();
  const std::size_t end = std::min(written_ + kValuesPerStep, 2 * counts_.size());
  for (; written_ < end && !isFull(piece); ++written_) {
    if (written_ < counts_.size()) {
      beginRow(piece);
      appendJsonString(piece, counts_[written_].text);
      continue;
    }
    piece.append(written_ == counts_.size() ? "],\"series_counts\":[" : ",");
    const TextCount& one = counts_[written_ - counts_.size()];
    appendInteger(piece, static_cast<std::int64_t>(one.count));
  }
  isDone_ = written_ == 2 * counts_.size();
  if (counts_.empty()) piece.append("],\"series_counts\":[");
}

// Counts are known only after all series are read.
void DiscoveryReader::findCounts() {
  const TextCodes column = index_->codeLabel(discovery_.labelKey, select());
  counts_.reserve(column.texts.size());
  for (const std::string_view text : column.texts) counts_.push_back({text});
  for (const std::uint32_t code : column.codes) {
    if (code != TextCodes::kMissing) ++counts_[code].count;
  }
  std::erase_if(counts_, [this](const TextCount& one) {
    return one.count == 0 || !one.text.starts_with(discovery_.valuePrefix) ||
           (last_ && one.text <= *last_);
  });
  if (discovery_.order == Discovery::Order::kSeriesCount) {
    std::ranges::stable_sort(counts_, std::greater(), &TextCount::count);
  }
  counts_.resize(std::min(counts_.size(), rowsLeft(SIZE_MAX)));
  isSelected_ = true;
}

}  // namespace seriesdb
