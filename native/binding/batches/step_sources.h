// Queries at steps that are asked together: those that are surely done soon are made side by side.
#pragma once

#include <napi.h>

#include <memory>
#include <vector>

#include "binding/arguments/step_arguments.h"
#include "binding/batches/step_batches.h"

namespace seriesdb {

// On the JavaScript thread.
class StepSources {
 public:
  explicit StepSources(Napi::Env env) : env_(env) {}
  StepSources(const StepSources&) = delete;
  StepSources& operator=(const StepSources&) = delete;
  // Of those that were not taken.
  ~StepSources();

  // A NativeStepQuery, whose figures are the next, and of which nothing is read yet.
  // kInvalidArgument.
  Status add(Engine& engine, const Napi::Value& query, const StepLimits& limits,
             StepFigures& figures);
  std::size_t count() const { return sources_.size(); }

  // Makes all that are short, by this thread, and by others of the engine where that takes less.
  // What the first that failed says.
  Status makeShort(Engine& engine);
  // Whether it was made, and can be packed; else it is to be taken, and has a lane of its own.
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
