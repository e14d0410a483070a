#include "query/promql/step_query.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>

#include "query/promql/kept_cells.h"
#include "query/samples/read_cost.h"

namespace seriesdb {
namespace {

// Cells of a wave: 2 MiB. A folded wave has 1 MiB, which stays in a core's cache.
constexpr std::size_t kWaveCells = std::size_t{1} << 18;
constexpr std::size_t kWaveRowsMax = 4096;
// The rows that a thread takes at once.
constexpr std::size_t kUnitRows = 8;
// Fewer cells are not worth a second thread.
constexpr std::size_t kFoldCellsMin = std::size_t{1} << 15;
constexpr std::uint64_t kShortInput = 16384;
constexpr std::uint64_t kShortSteps = 65536;

// If every cell has a value, `present` stays empty.
void dropPresence(StepTable& table) {
  if (table.present.empty()) return;
  if (std::memchr(table.present.data(), 0, table.present.size()) == nullptr) table.present = {};
}

}  // namespace

StepQuery::StepQuery(const StepPlan& plan, QueryControl& control, Source source)
    : plan_(plan), control_(control), source_(std::move(source)), memory_(plan.limits.read) {
  if (!source_.view || plan_.grid.count == 0) return;
  slice_ =
      sliceOf(**source_.view, rangeOfMilliseconds(plan_.after(), plan_.end(), source_.perSecond));
}

std::size_t StepQuery::rowCount() const {
  if (plan_.grid.count == 0) return 0;
  return plan_.rows() != nullptr ? plan_.rows()->rowCount : source_.refs.size();
}

// The approximate count of samples that functions read.
std::uint64_t StepQuery::workOf(std::uint64_t samples) const {
  const std::uint64_t steps = rowCount() * plan_.grid.count;
  if (isIncremental(plan_.function)) return samples + steps;
  const auto hull = static_cast<double>(plan_.end() - plan_.after()) + 1;
  const double share = (static_cast<double>(plan_.window) + 1) / hull;
  const double perWindow = static_cast<double>(samples) * std::min(share, 1.0);
  return samples + steps +
         static_cast<std::uint64_t>(perWindow * static_cast<double>(plan_.grid.count));
}

std::optional<std::uint64_t> StepQuery::shortWork() const {
  if (rowCount() == 0) return 0;
  if (rowCount() * plan_.grid.count > kShortInput) return std::nullopt;
  const auto atMost = [this](std::uint64_t fresh, std::uint64_t samples) {
    const std::uint64_t work = workOf(samples);
    const bool isShort = fresh <= kShortInput && work <= kShortSteps;
    return isShort ? std::optional(work) : std::nullopt;
  };
  if (plan_.rows() != nullptr) {
    const std::uint64_t samples = plan_.rows()->values.size();
    return atMost(samples, samples);
  }
  std::vector<SeriesRef> refs = source_.refs;
  std::sort(refs.begin(), refs.end());
  const auto cost = shortCostOf(**source_.view, refs, {&slice_.range, 1}, slice_.range);
  return cost ? atMost(cost->memorySamples, cost->reached) : std::nullopt;
}

Status StepQuery::run(const Threads& threads, StepTable& table) {
  table = {};
  table.isOfSamples = isOfSamples();
  if (plan_.rows() == nullptr) table.labels.emplace();
  Status made = rowCount() == 0 ? Status::okStatus() : prepare(threads.count);
  const std::size_t waveCells = isFolded() ? kWaveCells / 2 : kWaveCells;
  const std::size_t perWave = std::clamp<std::size_t>(
      waveCells / std::max<std::size_t>(plan_.grid.count, 1), 1, kWaveRowsMax);
  for (std::size_t begin = 0; made.ok() && begin < rowCount(); begin += perWave) {
    made = runWave(threads, begin, std::min(perWave, rowCount() - begin), table);
  }
  if (made.ok()) made = finish(table);
  noteReads();
  return made;
}

Status StepQuery::prepare(std::size_t threadCount) {
  const std::size_t units = (rowCount() + kUnitRows - 1) / kUnitRows;
  for (std::size_t i = 0; i < std::clamp<std::size_t>(threadCount, 1, units); ++i) {
    workers_.push_back(std::make_unique<StepWorker>(plan_, control_));
    if (source_.view) workers_[i]->readFrom(**source_.view, slice_, source_.perSecond);
  }
  if (isOfSamples()) return Status::okStatus();
  if (plan_.fold) {
    groups_ = groupsOf(labelsOfSeries(*source_.index, source_.refs, plan_.fold->by), rowCount());
    isEachAlone_ = groups_.firstOf.size() == rowCount();
  }
  // A row with any value has all its cells.
  if (!isFolded()) {
    groups_ = {};
    const std::size_t surely = plan_.rows() != nullptr ? rowCount() : 1;
    return checkCells(surely, plan_.grid.count);
  }
  const std::uint64_t groups = groups_.firstOf.size();
  Status allowed = checkCells(groups, plan_.grid.count);
  if (allowed.ok()) {
    allowed = memory_.hold(FoldCells::bytesOf(plan_.fold->op, groups * plan_.grid.count));
  }
  if (!allowed.ok()) return allowed;
  cells_.emplace(plan_.fold->op, groups, plan_.grid.count);
  isKept_.assign(groups, 0);
  return allowed;
}

Status StepQuery::checkCells(std::uint64_t rows, std::uint64_t width) const {
  const std::uint64_t most = plan_.limits.cellsMax;
  const std::uint64_t left = most - std::min(plan_.limits.cellsBefore, most);
  if (rows <= left / width) return Status::okStatus();
  return {StatusCode::kQueryLimit, "the query holds more than max_query_cells = " +
                                       std::to_string(most) + " values at a time; narrow it down"};
}

Status StepQuery::runWave(const Threads& threads, std::size_t begin, std::size_t count,
                          StepTable& table) {
  const Wave wave{begin, count, isFolded() ? wave_ : table, isFolded() ? 0 : table.rowCount};
  if (!isOfSamples()) wave.into.resize(wave.base + count, plan_.grid.count);
  Status made = hold(table);
  if (made.ok()) made = makeRows(threads, wave);
  if (!made.ok()) return made;
  if (isFolded()) {
    foldRows(threads, wave);
    return made;
  }
  if (isOfSamples()) {
    keepSamples(wave);
    return hold(table);
  }
  keepRows(wave);
  return checkCells(table.rowCount, plan_.grid.count);
}

Status StepQuery::hold(const StepTable& table) {
  const std::uint64_t cells =
      cells_ ? FoldCells::bytesOf(plan_.fold->op, isKept_.size() * plan_.grid.count) : 0;
  return memory_.hold(table.bytes() + wave_.bytes() + cells +
                      groups_.groupOf.capacity() * sizeof(groups_.groupOf[0]) +
                      keptRefs_.capacity() * sizeof(keptRefs_[0]));
}

// Series that were created together have neighbouring chunks.
void StepQuery::orderByRef(const Wave& wave) {
  order_.resize(wave.count);
  std::iota(order_.begin(), order_.end(), 0);
  orderedRefs_.clear();
  if (plan_.rows() != nullptr) return;
  const auto refs = std::span(source_.refs).subspan(wave.begin, wave.count);
  std::sort(order_.begin(), order_.end(),
            [refs](std::uint32_t a, std::uint32_t b) { return refs[a] < refs[b]; });
  for (const std::uint32_t row : order_) orderedRefs_.push_back(refs[row]);
}

Status StepQuery::makeRows(const Threads& threads, const Wave& wave) {
  orderByRef(wave);
  next_.store(0, std::memory_order_relaxed);
  hasAny_.assign(wave.count, 0);
  if (isOfSamples()) lists_.resize(wave.count);
  std::vector<Status> made(workers_.size());
  runParts(threads, workers_.size(), [&](std::size_t i) {
    made[i] = makeUnits(*workers_[i], wave);
    if (!made[i].ok()) hasFailed_.store(true, std::memory_order_relaxed);
  });
  const auto failed = std::ranges::find_if(made, [](const Status& one) { return !one.ok(); });
  return failed == made.end() ? Status::okStatus() : *failed;
}

Status StepQuery::makeUnits(StepWorker& worker, const Wave& wave) {
  while (!hasFailed_.load(std::memory_order_relaxed)) {
    const std::size_t begin = next_.fetch_add(kUnitRows, std::memory_order_relaxed);
    if (begin >= wave.count) break;
    const std::size_t end = std::min(begin + kUnitRows, wave.count);
    for (std::size_t at = begin; at < end; ++at) {
      Status made = makeRow(worker, wave, at);
      if (!made.ok()) return made;
    }
  }
  return Status::okStatus();
}

Status StepQuery::makeRow(StepWorker& worker, const Wave& wave, std::size_t at) {
  const std::size_t row = order_[at];
  Status made = plan_.rows() != nullptr ? worker.readComputed(*plan_.rows(), wave.begin + row)
                                        : worker.read(std::span(orderedRefs_).subspan(at));
  if (!made.ok()) return made;
  if (isOfSamples()) {
    made = worker.take(lists_[row]);
    const std::uint64_t count = lists_[row].size();
    listed_.fetch_add(count, std::memory_order_relaxed);
    return made.ok() ? checkCells(listed_.load(std::memory_order_relaxed), 1) : made;
  }
  bool isAny = false;
  const StepCells cells = wave.into.cells(wave.base + row, plan_.grid.count);
  made = worker.make(cells, isAny);
  if (!made.ok()) return made;
  if (isEachAlone_) FoldCells::finishAlone(plan_.fold->op, cells);
  if (isAny && plan_.kept && !isFolded()) isAny = keepCells(*plan_.kept, cells);
  hasAny_[row] = isAny ? 1 : 0;
  return made;
}

void StepQuery::foldRows(const Threads& threads, const Wave& wave) {
  for (std::size_t row = 0; row < wave.count; ++row) {
    const std::uint32_t group = groups_.groupOf[wave.begin + row];
    if (hasAny_[row] != 0 && std::exchange(isKept_[group], 1) == 0) keptGroups_.push_back(group);
  }
  const std::size_t steps = plan_.grid.count;
  const std::size_t parts =
      wave.count * steps < kFoldCellsMin ? 1 : std::min(workers_.size(), steps);
  runParts(threads, parts, [&](std::size_t part) {
    const std::size_t from = steps * part / parts;
    const std::size_t to = steps * (part + 1) / parts;
    for (std::size_t row = 0; row < wave.count; ++row) {
      if (hasAny_[row] == 0) continue;
      cells_->add(groups_.groupOf[wave.begin + row], wave.into.cells(row, steps), from, to);
    }
  });
}

// Rows with a value move up over rows without any. Computed rows all stay.
void StepQuery::keepRows(const Wave& wave) {
  StepTable& table = wave.into;
  const std::size_t steps = plan_.grid.count;
  for (std::size_t row = 0; row < wave.count; ++row) {
    if (hasAny_[row] == 0 && plan_.rows() == nullptr) continue;
    const StepCells from = table.cells(wave.base + row, steps);
    const StepCells to = table.cells(table.rowCount++, steps);
    if (from.values.data() != to.values.data()) {
      std::ranges::copy(from.values, to.values.begin());
      std::ranges::copy(from.present, to.present.begin());
    }
    if (plan_.rows() == nullptr) keptRefs_.push_back(source_.refs[wave.begin + row]);
  }
  table.resize(table.rowCount, steps);
}

void StepQuery::keepSamples(const Wave& wave) {
  StepTable& table = wave.into;
  for (std::size_t row = 0; row < wave.count; ++row) {
    const StepColumns list = lists_[row].columns();
    if (list.size() == 0 && plan_.rows() == nullptr) continue;
    table.values.append(list.values);
    for (const std::int64_t ms : list.ms) table.times.push_back(static_cast<double>(ms));
    table.ends.push_back(static_cast<std::uint32_t>(table.values.size()));
    ++table.rowCount;
    if (plan_.rows() == nullptr) keptRefs_.push_back(source_.refs[wave.begin + row]);
  }
  lists_.clear();
  for (const auto& worker : workers_) worker->giveBackTaken();
}

Status StepQuery::finish(StepTable& table) {
  if (isFolded()) return finishGroups(table);
  if (table.labels) {
    *table.labels = plan_.fold ? labelsOfSeries(*source_.index, keptRefs_, plan_.fold->by)
                               : labelsOfSeries(*source_.index, keptRefs_);
  }
  dropPresence(table);
  return hold(table);
}

Status StepQuery::finishGroups(StepTable& table) {
  table.resize(keptGroups_.size(), plan_.grid.count);
  Status allowed = hold(table);
  if (!allowed.ok()) return allowed;
  for (const std::uint32_t group : keptGroups_) {
    const StepCells cells = table.cells(table.rowCount, plan_.grid.count);
    cells_->finish(group, cells);
    if (plan_.kept && !keepCells(*plan_.kept, cells)) continue;
    ++table.rowCount;
    keptRefs_.push_back(source_.refs[groups_.firstOf[group]]);
  }
  table.resize(table.rowCount, plan_.grid.count);
  cells_.reset();
  wave_ = {};
  *table.labels = labelsOfSeries(*source_.index, keptRefs_, plan_.fold->by);
  dropPresence(table);
  return hold(table);
}

void StepQuery::noteReads() {
  std::vector<SeriesRef> refs = source_.refs;
  for (const auto& worker : workers_) stats_.add(worker->stats());
  workers_.clear();
  if (!source_.view) return;
  std::sort(refs.begin(), refs.end());
  const std::uint64_t chunks = countChunks(slice_, refs);
  if (chunks > stats_.chunksScanned) stats_.chunksSkipped = chunks - stats_.chunksScanned;
}

}  // namespace seriesdb
