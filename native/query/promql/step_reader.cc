#include "query/promql/step_reader.h"

#include <string>
#include <utility>

#include "common/base/clock.h"
#include "common/types/timestamp_unit.h"
#include "query/promql/step_query.h"
#include "storage/engine/engine.h"
#include "storage/state/engine_options.h"

namespace seriesdb {

Result<std::unique_ptr<StepReader>> StepReader::make(Engine& engine, StepPlan plan) {
  plan.limits.read.countedIn = &engine;
  const Status checked = plan.check();
  if (!checked.ok()) return checked;
  return std::make_unique<StepReader>(Key{}, engine, std::move(plan));
}

StepReader::StepReader(Key, Engine& engine, StepPlan plan)
    : engine_(engine), plan_(std::move(plan)), index_(engine.index()), memory_(plan_.limits.read) {}

StepReader::~StepReader() = default;

bool StepReader::isShort() {
  if (!isRead_ && !isSelected_) {
    std::optional<std::vector<SeriesRef>> refs(std::in_place);
    if (plan_.rows() == nullptr) refs = (*index_)->selectFew(std::get<SeriesFilter>(plan_.of));
    if (!refs) return false;
    refused_ = begin(std::move(*refs));
  }
  return isRead_ || !query_ || shortWork_;
}

// Pins the view even without series: all samples of a series may be in a damaged segment.
Status StepReader::begin(std::vector<SeriesRef> refs) {
  const std::uint64_t start = monotonicNanos();
  isSelected_ = true;
  Status taken = take(refs);
  if (!taken.ok()) return taken;
  const std::int64_t perSecond = unitsPerSecond(engine_.options().unit);
  StepQuery::Source source{std::nullopt, *index_, perSecond, std::move(refs)};
  if (plan_.rows() == nullptr && plan_.grid.count > 0) {
    auto view = engine_.pinView(rangeOfMilliseconds(plan_.after(), plan_.end(), perSecond));
    if (!view.ok()) return view.status();
    source.view.emplace(std::move(view).value());
  }
  query_ = std::make_unique<StepQuery>(plan_, control_, std::move(source));
  shortWork_ = query_->shortWork();
  stats_.selectNanos = monotonicNanos() - start;
  return taken;
}

Status StepReader::take(std::vector<SeriesRef>& refs) {
  stats_.seriesSelected = refs.size();
  if (refs.size() > plan_.limits.seriesMax) {
    return {StatusCode::kQueryLimit, "the query reads more than max_query_series = " +
                                         std::to_string(plan_.limits.seriesMax) + " series"};
  }
  const SeriesIndex& index = **index_;
  index.sortById(refs, refs.size());
  if (refs.size() == 1) {
    std::vector<Label> labels;
    index.labelsOf(refs[0], labels);
    stats_.labelCount = labels.size();
  }
  return memory_.hold(refs.capacity() * sizeof(refs[0]));
}

Status StepReader::next(StepTable& table, bool& isEnd) {
  isEnd = std::exchange(isRead_, true);
  if (isEnd) return Status::okStatus();
  // A cancel() may have come before the query existed.
  const Status allowed = control_.look(plan_.limits.read);
  if (!allowed.ok()) return allowed;
  if (!isSelected_) {
    std::vector<SeriesRef> refs;
    if (plan_.rows() == nullptr) refs = (*index_)->select(std::get<SeriesFilter>(plan_.of));
    refused_ = begin(std::move(refs));
  }
  if (!refused_.ok()) return refused_;
  const Status made = query_->run(shortWork_ ? Threads{} : engine_.queryThreads(), table);
  const QueryStats selection = stats_;
  stats_ = query_->stats();
  stats_.seriesSelected = selection.seriesSelected;
  stats_.labelCount = selection.labelCount;
  stats_.selectNanos = selection.selectNanos;
  return made;
}

void StepReader::release() {
  query_.reset();
  index_.reset();
  memory_.giveBack();
}

}  // namespace seriesdb
