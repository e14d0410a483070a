#include "query/remote_read/label_answer.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "common/types/identity.h"
#include "query/remote_read/named_series.h"
#include "query/remote_read/selected_series.h"

namespace seriesdb {

LabelAnswer::LabelAnswer(Engine& engine, LabelQuestion question)
    : engine_(engine), question_(std::move(question)) {
  counted_.countedIn = &engine;
  memory_.emplace(counted_);
}

Status LabelAnswer::next(std::string& piece) {
  piece.clear();
  if (isDone_) return Status::okStatus();
  if (!index_) {
    if (Status begun = begin(); !begun.ok()) return begun;
    piece.append(R"({"status":"success","data":[)");
  }
  while (written_ < count() && piece.size() < kPieceSize) {
    if (isCancelled()) return readCancelled();
    append(piece);
  }
  if (written_ < count()) return Status::okStatus();
  piece.append(isCut_ ? R"(],"warnings":["results truncated due to limit"]})" : "]}");
  isDone_ = true;
  return Status::okStatus();
}

Status LabelAnswer::begin() {
  index_.emplace(engine_.index());
  select();
  if (question_.of == LabelQuestion::Of::kSets) return sortSets();
  texts_ = question_.of == LabelQuestion::Of::kNames ? namesOf() : valuesOf();
  isCut_ = texts_.size() > question_.limit;
  if (isCut_) texts_.resize(question_.limit);
  return memory_->hold(refs_.capacity() * sizeof(SeriesRef) +
                       texts_.capacity() * sizeof(std::string_view));
}

void LabelAnswer::select() {
  const SeriesIndex& index = **index_;
  for (const RemoteReadQuery& query : question_.queries) {
    auto found = index.select(query.filter);
    std::erase_if(found, [&](SeriesRef ref) {
      const auto bounds = index.boundsOf(ref);
      return !bounds || !overlaps(*bounds, query.range);
    });
    refs_.insert(refs_.end(), found.begin(), found.end());
  }
  if (question_.queries.size() < 2) return;
  std::sort(refs_.begin(), refs_.end());
  refs_.erase(std::unique(refs_.begin(), refs_.end()), refs_.end());
}

Status LabelAnswer::sortSets() {
  if (std::min<std::uint64_t>(refs_.size(), question_.limit) > question_.seriesMax) {
    return answerTooLarge(std::to_string(question_.seriesMax) + " series",
                          ", or raise max_query_series");
  }
  const auto hold = [this](std::uint64_t bytes) {
    return isCancelled() ? readCancelled() : memory_->hold(bytes);
  };
  if (Status sorted = sortByPromLabels(**index_, labels_, refs_, hold); !sorted.ok()) return sorted;
  isCut_ = refs_.size() > question_.limit;
  if (isCut_) refs_.resize(question_.limit);
  return memory_->hold(0);
}

std::vector<std::string_view> LabelAnswer::namesOf() const {
  std::set<std::string_view> keys;
  if (!refs_.empty()) keys.insert(kMetricKey);
  for (const MetricFacts& facts : (*index_)->metricsOf(refs_, std::nullopt)) {
    keys.insert(facts.labelKeys.begin(), facts.labelKeys.end());
  }
  std::vector<std::string_view> names;
  std::ranges::copy_if(keys, std::back_inserter(names),
                       [this](std::string_view key) { return hasValue(key); });
  return names;
}

// An empty value counts as absent. Empty values are rare, and only then series are read.
bool LabelAnswer::hasValue(std::string_view key) const {
  const auto first = (*index_)->labelValues(key, {"", std::nullopt, 1});
  if (first.empty() || !first.front().empty()) return true;
  return !(*index_)->labelValues(key, {"", "", 1}, refs_).empty();
}

std::vector<std::string_view> LabelAnswer::valuesOf() const {
  if (question_.key == kMetricKey) return (*index_)->codeNames(refs_).texts;
  return (*index_)->labelValues(question_.key, {"", ""}, refs_);
}

std::size_t LabelAnswer::count() const {
  return question_.of == LabelQuestion::Of::kSets ? refs_.size() : texts_.size();
}

void LabelAnswer::append(std::string& piece) {
  const std::size_t at = written_++;
  if (question_.of != LabelQuestion::Of::kSets) {
    if (at > 0) piece.push_back(',');
    return appendJsonString(piece, texts_[at]);
  }
  std::string set = setOf(refs_[at]);
  // Series that differ only by an empty label have one set.
  if (set == last_) return;
  if (at > 0) piece.push_back(',');
  piece.append(set);
  last_ = std::move(set);
}

std::string LabelAnswer::setOf(SeriesRef ref) {
  std::string set;
  for (const Label& label : labels_.of(**index_, ref)) {
    set.push_back(set.empty() ? '{' : ',');
    appendJsonString(set, label.key);
    set.push_back(':');
    appendJsonString(set, label.value);
  }
  return set.append("}");
}

}  // namespace seriesdb
