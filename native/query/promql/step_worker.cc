#include "query/promql/step_worker.h"

#include <algorithm>
#include <utility>

namespace seriesdb {
namespace {

// The count of the grid's times not above this one.
std::size_t countUpTo(const StepGrid& grid, std::int64_t ms) {
  if (ms < grid.start) return 0;
  const std::int64_t place = (ms - grid.start) / grid.step;
  return std::min(grid.count, static_cast<std::size_t>(place) + 1);
}

}  // namespace

Status StepWorker::read(std::span<const SeriesRef> series) {
  Status read = samples_->read(series, row_);
  return read.ok() ? memory_.hold(takenBytes_ + row_.bytes()) : read;
}

Status StepWorker::readComputed(const StepRows& rows, std::size_t place) {
  row_.clear();
  const StepGrid& grid = rows.grid;
  const std::size_t end = countUpTo(grid, plan_.end());
  const std::size_t base = place * grid.count;
  for (std::size_t at = countUpTo(grid, plan_.after()); at < end; ++at) {
    if (!rows.present.empty() && rows.present[base + at] == 0) continue;
    row_.push(grid.at(at), rows.values[base + at]);
  }
  Status allowed = brake_.count(row_.size());
  return allowed.ok() ? memory_.hold(takenBytes_ + row_.bytes()) : allowed;
}

Status StepWorker::take(StepSamples& into) {
  row_.dropStale();
  into = std::exchange(row_, {});
  takenBytes_ += into.bytes();
  return memory_.hold(takenBytes_);
}

}  // namespace seriesdb
