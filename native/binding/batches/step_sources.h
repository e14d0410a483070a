// Step queries of one call: the short ones run in parallel.
#pragma once

#include <napi.h>

#include <memory>
#include <vector>

#include "binding/arguments/step_arguments.h"
#include "binding/batches/step_batches.h"

namespace seriesdb {

// Call on the JavaScript thread.
class StepSources {
 public:
  explicit StepSources(Napi::Env env) : env_(env) {}
  StepSources(const StepSources&) = delete;
  StepSources& operator=(const StepSources&) = delete;
  // Releases the queries that take() did not take.
  ~StepSources();

  // Adds a NativeStepQuery with the next figures. kInvalidArgument if it is invalid.
  Status add(Engine& engine, const Napi::Value& query, const StepLimits& limits,
             StepFigures& figures);
  std::size_t count() const { return sources_.size(); }

  // Makes the batches of all short queries, on this thread and, if that is faster, on others of the
  // engine. Returns the first failure.
  Status makeShort(Engine& engine);
  // True if the batch was made, and can be packed. Otherwise take the query and run it in its lane.
  bool isMade(std::size_t i) const { return sources_[i].isShort; }
  Napi::Value pack(std::size_t i) { return sources_[i].batches->pack(env_); }
  std::unique_ptr<StepBatches> take(std::size_t i) { return std::move(sources_[i].batches); }

 private:
  struct Source {
    std::unique_ptr<StepBatches> batches;
    bool isShort = false;
  };

  const Napi::Env env_;
  std::vector<Source> sources_;
};

}  // namespace seriesdb
