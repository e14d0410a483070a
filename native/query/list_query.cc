#include "query/list_query.h"

#include <algorithm>
#include <utility>

namespace seriesdb {
namespace {

// Rows of one step. A query can be cancelled between steps.
constexpr std::size_t kListedSeriesPerStep = 256;
constexpr std::size_t kTextsPerStep = 1024;
constexpr std::size_t kListedMetricsPerStep = 256;

// True if the filter names metrics alone. The index stores the series count of each name.
bool isOfNames(const SeriesFilter& filter) { return !filter.speaksOfLabels() && !filter.ids; }

void sortTexts(std::vector<std::string_view>& texts) {
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
}

std::uint64_t sumOf(std::uint64_t a, std::uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

}  // namespace

ListQuery::ListQuery(const SeriesIndex& index, ListPlan plan, TextPlan text)
    : index_(index), plan_(std::move(plan)), text_(std::move(text)), printer_(index, text_) {}

Status ListQuery::next(RowTexts& piece) {
  piece.text.clear();
  piece.rowCount = 0;
  if (!isSelected_) {
    const Status selected = select();
    if (!selected.ok()) return selected;
    isSelected_ = true;
  }
  while (!isDone_ && piece.text.size() < TextSink::kPieceSize) {
    if (isCancelled_.load(std::memory_order_relaxed)) {
      return {StatusCode::kClosed, "the query was cancelled"};
    }
    if (plan_.of == ListPlan::Of::kSeries) {
      addSeries(piece.text, piece.rowCount);
    } else {
      addTexts(piece.text, piece.rowCount);
    }
  }
  piece.isLast = isDone_;
  return Status::okStatus();
}

Status ListQuery::select() {
  Status status;
  switch (plan_.of) {
    case ListPlan::Of::kSeries:
      refs_ = index_.select(plan_.filter);
      countSeries(refs_);
      index_.sortById(refs_, static_cast<std::size_t>(std::min<std::uint64_t>(
                                 sumOf(text_.offset, text_.limit), SIZE_MAX)));
      break;
    case ListPlan::Of::kMetrics:
    case ListPlan::Of::kLabelKeys:
      status = selectMetrics();
      break;
    case ListPlan::Of::kLabelValues:
      selectValues();
      break;
  }
  // Names and values do not tell how many labels a single series has.
  if (status.ok() && stats_.seriesSelected == 1 && stats_.labelCount == 0) {
    countSeries(index_.select(plan_.filter));
  }
  const std::size_t count = std::max(refs_.size(), texts_.size());
  at_ = static_cast<std::size_t>(std::min<std::uint64_t>(text_.offset, count));
  return status;
}

void ListQuery::countSeries(const std::vector<SeriesRef>& refs) {
  stats_.seriesSelected = refs.size();
  if (refs.size() != 1) return;
  std::vector<Label> labels;
  index_.labelsOf(refs[0], labels);
  stats_.labelCount = labels.size();
}

// If the filter names metrics alone, the index has their facts; otherwise the series are read.
Status ListQuery::selectMetrics() {
  const NameFilter& name = plan_.filter.name;
  if (!isOfNames(plan_.filter)) {
    const std::vector<SeriesRef> refs = index_.select(plan_.filter);
    addMetrics(index_.metricsOf(refs, std::nullopt));
  } else if (name.kind == NameFilter::Kind::kOneOf) {
    for (const std::string_view one : name.names.distinct()) {
      std::vector<MetricFacts> found = index_.metrics({one, std::nullopt, 1}, std::nullopt);
      // Without a series of this name, the index returns a longer name.
      if (!found.empty() && found.front().name == one) addMetrics(found);
    }
  } else {
    const std::string_view prefix = name.kind == NameFilter::Kind::kPrefix ? name.names[0] : "";
    ListPart part{prefix, std::nullopt, kListedMetricsPerStep};
    std::vector<MetricFacts> found;
    do {
      if (isCancelled_.load(std::memory_order_relaxed)) {
        return {StatusCode::kClosed, "the query was cancelled"};
      }
      found = index_.metrics(part, std::nullopt);
      addMetrics(found);
      if (!found.empty()) part.after = found.back().name;
    } while (found.size() == kListedMetricsPerStep);
  }
  sortTexts(texts_);
  return Status::okStatus();
}

void ListQuery::addMetrics(const std::vector<MetricFacts>& all) {
  for (const MetricFacts& facts : all) {
    stats_.seriesSelected += facts.seriesCount;
    if (plan_.of == ListPlan::Of::kMetrics) {
      texts_.push_back(facts.name);
    } else {
      texts_.insert(texts_.end(), facts.labelKeys.begin(), facts.labelKeys.end());
    }
  }
  if (plan_.of == ListPlan::Of::kLabelKeys) sortTexts(texts_);
}

void ListQuery::selectValues() {
  const std::uint64_t most = std::min<std::uint64_t>(sumOf(text_.offset, text_.limit), SIZE_MAX);
  const ListPart part{"", std::nullopt, static_cast<std::size_t>(most)};
  if (isOfNames(plan_.filter) && plan_.filter.name.kind == NameFilter::Kind::kAny) {
    stats_.seriesSelected = index_.visibleCount();
    texts_ = index_.labelValues(plan_.labelKey, part);
    return;
  }
  const std::vector<SeriesRef> refs = index_.select(plan_.filter);
  stats_.seriesSelected = refs.size();
  texts_ = index_.labelValues(plan_.labelKey, part, refs);
}

void ListQuery::addSeries(std::string& out, std::uint64_t& rowCount) {
  const std::size_t end = std::min(refs_.size(), at_ + kListedSeriesPerStep);
  // Prefetch the descriptions of many series at once.
  index_.describe(std::span(refs_).subspan(at_, end - at_), batch_);
  for (; at_ < end && !isCut(); ++at_, ++rows_) {
    if (rowCount++ > 0) out += text_.between;
    for (const TextColumn& column : text_.columns) {
      out += column.before;
      printer_.append(out, column, refs_[at_]);
    }
    out += text_.rowEnd;
  }
  isDone_ = at_ == refs_.size() || isCut();
}

void ListQuery::addTexts(std::string& out, std::uint64_t& rowCount) {
  const std::size_t end = std::min(texts_.size(), at_ + kTextsPerStep);
  for (; at_ < end && !isCut(); ++at_, ++rows_) {
    if (rowCount++ > 0) out += text_.between;
    for (const TextColumn& column : text_.columns) {
      out += column.before;
      appendCell(out, texts_[at_], text_.isCsv);
    }
    out += text_.rowEnd;
  }
  isDone_ = at_ == texts_.size() || isCut();
}

}  // namespace seriesdb
