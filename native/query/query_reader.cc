#include "query/query_reader.h"

#include <type_traits>
#include <utility>
#include <variant>

#include "common/base/clock.h"
#include "common/types/timestamp_unit.h"
#include "query/query_request.h"
#include "query/query_runs.h"
#include "query/series_choice.h"
#include "storage/engine/engine.h"
#include "storage/state/engine_options.h"

namespace seriesdb {
namespace {

template <typename Part>
concept IsRun = requires(Part part, QueryBatch batch) {
  part.next(batch);
};

}  // namespace

struct QueryReader::State {
  struct Selecting {
    QueryRequest request;
  };
  struct Refused {
    Status why;
  };
  struct Ended {};

  std::variant<Selecting, ColumnRun, ColumnTextRun, RowRun, RowTextRun, GroupRun, GroupTextRun,
               ListRun, Refused, Ended>
      now = Ended{};
};

Result<std::unique_ptr<QueryReader>> QueryReader::make(Engine& engine, QueryRequest request) {
  request.plan.unitsPerSecond = unitsPerSecond(engine.options().unit);
  request.plan.read.limits.countedIn = &engine;
  const Status checked = request.check();
  if (!checked.ok()) return checked;
  return std::make_unique<QueryReader>(Key{}, engine, std::move(request));
}

QueryReader::QueryReader(Key, Engine& engine, QueryRequest request)
    : engine_(engine),
      pinned_(engine.index()),
      index_(**pinned_),
      memory_(request.plan.read.limits),
      state_(std::make_unique<State>()) {
  if (request.answer == QueryAnswer::kList) {
    openList(std::move(request));
  } else {
    become<State::Selecting>(std::move(request));
  }
}

QueryReader::~QueryReader() = default;

template <typename Next, typename... Args>
void QueryReader::become(Args&&... args) {
  const std::lock_guard lock(mutex_);
  if constexpr (std::is_aggregate_v<Next>) {
    state_->now = Next{std::forward<Args>(args)...};
  } else {
    state_->now.emplace<Next>(std::forward<Args>(args)...);
  }
}

void QueryReader::openList(QueryRequest request) {
  if (auto* ids = std::get_if<std::vector<SeriesId>>(&request.series)) {
    request.list.filter.ids = std::move(*ids);
  } else {
    request.list.filter = std::move(std::get<SeriesFilter>(request.series));
  }
  become<ListRun>(index_, std::move(request.list), std::move(*request.text), memory_);
}

bool QueryReader::isShort() {
  if (!selectFew()) return false;
  return std::visit(
      [](auto& part) {
        if constexpr (IsRun<std::remove_cvref_t<decltype(part)>>) return part.isShort();
        return true;
      },
      state_->now);
}

bool QueryReader::beginShort() {
  if (!selectFew()) return false;
  auto* groups = std::get_if<GroupTextRun>(&state_->now);
  return groups == nullptr ? isShort() : groups->beginShort();
}

// Starts the next call if that is quick; false if it may take long.
bool QueryReader::selectFew() {
  const auto* selecting = std::get_if<State::Selecting>(&state_->now);
  if (selecting == nullptr) return true;
  if (selecting->request.answer == QueryAnswer::kColumns) return false;
  const std::uint64_t start = monotonicNanos();
  auto refs = findSeries(index_, selecting->request, true);
  if (refs) begin(std::move(*refs), start);
  return refs.has_value();
}

// `startNanos` is the start of the selection. REQUIRES: Selecting.
void QueryReader::begin(std::vector<SeriesRef> refs, std::uint64_t startNanos) {
  QueryRequest request = std::move(std::get<State::Selecting>(state_->now).request);
  request.plan.read.refs = std::move(refs);
  const Status taken = takeSeries(engine_, index_, request, memory_, stats_);
  const bool isUnread = request.isOfOneSeries && stats_.seriesSelected > 1;
  const Status opened = !taken.ok() || isUnread ? taken : open(std::move(request));
  if (!opened.ok()) {
    become<State::Refused>(opened);
  } else if (isUnread) {
    become<State::Ended>();
  }
  stats_.selectNanos = monotonicNanos() - startNanos;
}

Status QueryReader::open(QueryRequest request) {
  if (request.answer == QueryAnswer::kGroups) return openGroups(std::move(request));
  if (request.answer == QueryAnswer::kRows) return openRows(std::move(request));
  return openColumns(std::move(request));
}

Status QueryReader::openColumns(QueryRequest request) {
  ReadPlan& plan = request.plan.read;
  auto view = engine_.pinView(plan.hull());
  if (!view.ok()) return view.status();
  if (plan.ranges.empty()) plan.refs.clear();
  if (request.text) {
    request.text->isFiniteOnly = true;
    become<ColumnTextRun>(std::move(view).value(), plan.refs, plan.hull(), index_,
                          std::move(*request.text));
  } else {
    become<ColumnRun>(std::move(view).value(), std::move(plan.refs), plan.hull());
  }
  return Status::okStatus();
}

Status QueryReader::openRows(QueryRequest request) {
  auto view = engine_.pinView(request.plan.read.hull());
  if (!view.ok()) return view.status();
  std::vector<SeriesRef> refs;
  if (request.text) refs = request.plan.read.refs;
  auto rows = RowQuery::make(std::move(view).value(), std::move(request.plan.read),
                             std::move(request.order));
  if (!rows.ok()) return rows.status();
  if (request.text) {
    become<RowTextRun>(engine_, std::move(rows).value(), index_, std::move(refs),
                       std::move(*request.text));
  } else {
    become<RowRun>(engine_, std::move(rows).value());
  }
  return Status::okStatus();
}

Status QueryReader::openGroups(QueryRequest request) {
  auto groups = AggregateQuery::make(engine_, *pinned_, std::move(request.plan));
  if (!groups.ok()) return groups.status();
  if (request.text) {
    become<GroupTextRun>(engine_, std::move(groups).value(), std::move(*request.text));
  } else {
    become<GroupRun>(engine_, std::move(groups).value());
  }
  return Status::okStatus();
}

Status QueryReader::next(QueryBatch& batch) {
  if (const auto* selecting = std::get_if<State::Selecting>(&state_->now)) {
    const std::uint64_t start = monotonicNanos();
    begin(*findSeries(index_, selecting->request, false), start);
  }
  batch.isEnd = std::holds_alternative<State::Ended>(state_->now);
  if (batch.isEnd) return Status::okStatus();
  if (const auto* refused = std::get_if<State::Refused>(&state_->now)) {
    Status why = refused->why;
    become<State::Ended>();
    return why;
  }
  // A cancel() may have come before a run existed.
  if (isCancelled_.load(std::memory_order_relaxed)) {
    return {StatusCode::kClosed, "the query was cancelled"};
  }
  batch.isLast = false;
  Status status = run(batch);
  // Free the data now; the garbage collector may destroy the reader much later.
  if (!status.ok() || batch.isLast) become<State::Ended>();
  return status;
}

Status QueryReader::run(QueryBatch& batch) {
  return std::visit(
      [this, &batch](auto& part) {
        if constexpr (IsRun<std::remove_cvref_t<decltype(part)>>) {
          Status status = part.next(batch);
          noteReads(part.stats());
          return status;
        }
        return Status::okStatus();
      },
      state_->now);
}

// Takes the run's statistics. Only a list counts its selection itself; for other runs keep it.
void QueryReader::noteReads(const QueryStats& reads) {
  const QueryStats selection = stats_;
  stats_ = reads;
  if (std::holds_alternative<ListRun>(state_->now)) return;
  stats_.seriesSelected = selection.seriesSelected;
  stats_.labelCount = selection.labelCount;
  stats_.selectNanos = selection.selectNanos;
}

void QueryReader::cancel() {
  const std::lock_guard lock(mutex_);
  isCancelled_.store(true, std::memory_order_relaxed);
  std::visit(
      [](auto& part) {
        if constexpr (IsRun<std::remove_cvref_t<decltype(part)>>) part.cancel();
      },
      state_->now);
}

void QueryReader::release() {
  become<State::Ended>();
  pinned_.reset();
  memory_.giveBack();
}

}  // namespace seriesdb
