#include "binding/batches/step_sources.h"

#include <algorithm>
#include <utility>

#include "common/base/parallel.h"
#include "common/base/work_pace.h"

namespace seriesdb {
namespace {

// The samples that make the wake-up of a thread worth its time.
constexpr std::uint64_t kWorkOfThread = 32768;

Threads threadsFor(Engine& engine, std::uint64_t work) {
  if (work < 2 * kWorkOfThread) return {};
  Threads threads = engine.queryThreads();
  threads.count = std::min<std::size_t>(threads.count, work / kWorkOfThread);
  return threads;
}

}  // namespace

StepSources::~StepSources() {
  for (Source& source : sources_) {
    if (source.batches) source.batches->release(env_);
  }
}

Status StepSources::add(Engine& engine, const Napi::Value& query, const StepLimits& limits,
                        StepFigures& figures) {
  if (!query.IsObject()) return Status::invalid("expected a query");
  LentArrays lent;
  auto plan = readStepQuery(query.As<Napi::Object>(), limits, figures, lent);
  Status added = plan.status();
  if (plan.ok()) {
    auto reader = StepReader::make(engine, std::move(plan).value());
    added = reader.status();
    if (reader.ok()) {
      sources_.push_back({std::make_unique<StepBatches>(std::move(reader).value(),
                                                        std::exchange(lent, {}))});
    }
  }
  lent.free(env_);  // Frees arrays that no batch took over.
  return added;
}

Status StepSources::makeShort(Engine& engine) {
  std::vector<StepBatches*> made;
  std::uint64_t work = 0;
  for (Source& source : sources_) {
    source.isShort = source.batches->lane() == Lane::kHere;
    if (!source.isShort) continue;
    made.push_back(source.batches.get());
    work += source.batches->work();
  }
  std::vector<Status> ends(made.size());
  runParts(threadsFor(engine, work), made.size(), [&](std::size_t i) {
    const PacedThread::Hurry hurry;  // The caller, which feeds ingest, waits.
    ends[i] = made[i]->make();
  });
  const auto failed = std::ranges::find_if(ends, [](const Status& end) { return !end.ok(); });
  return failed == ends.end() ? Status::okStatus() : *failed;
}

}  // namespace seriesdb
