// The statistics of an engine.
#include <vector>

#include "binding/columns.h"
#include "binding/engine_handle.h"
#include "binding/errors.h"
#include "storage/state/free_memory.h"
#include "storage/state/stage_times.h"

namespace seriesdb {
namespace {

Napi::Object packCounts(Napi::Env env, const Engine& engine) {
  auto counts = Napi::Object::New(env);
  for (const auto& [name, value] : engine.stats()) counts.Set(name, value);
  return counts;
}

Napi::Value packStages(Napi::Env env, const StageTimes& times) {
  std::vector<double> numbers(StageTimes::kNumberCount);
  times.copyTo(numbers);
  return makeDoubles(env, numbers);
}

Napi::Value packPool(Napi::Env env, const SmallPool* pool) {
  if (pool == nullptr) return env.Null();
  std::vector<double> numbers;
  for (const auto& one : pool->figures()) {
    for (const auto number :
         {one.size, one.allocations, one.inUse, one.highWater, one.refills, one.slabs}) {
      numbers.push_back(static_cast<double>(number));
    }
  }
  return makeDoubles(env, numbers);
}

Napi::Array packTexts(Napi::Env env, const std::vector<std::string>& texts) {
  auto array = Napi::Array::New(env, texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) array.Set(static_cast<std::uint32_t>(i), texts[i]);
  return array;
}

}  // namespace

// stats(): NativeStats.
Napi::Value EngineHandle::stats(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!session_ || session_->isClosed) return raise(env, closedStatus());
  Engine& engine = *session_->engine;
  auto stats = Napi::Object::New(env);
  stats.Set("counts", packCounts(env, engine));
  stats.Set("stages", packStages(env, engine.stages()));
  stats.Set("pool", packPool(env, engine.pool()));
  stats.Set("degraded", packTexts(env, engine.degradedReasons()));
  stats.Set("degradedKinds", packTexts(env, engine.degradedKinds()));
  return stats;
}

// holdUnread(bytes: number, cutCount: number): number.
Napi::Value EngineHandle::holdUnread(const Napi::CallbackInfo& info) {
  if (!session_ || session_->isClosed) return Napi::Number::New(info.Env(), 0);
  Engine& engine = *session_->engine;
  const std::uint32_t cutCount = info[1].ToNumber().Uint32Value();
  session_->unread.set(static_cast<std::uint64_t>(info[0].ToNumber().Int64Value()));
  // The freed pieces of a cut answer leave gaps between others.
  if (cutCount > 0) oweReturn();
  // The account has the answers of all threads.
  if (takeReturn(engine.memory().unread->bytes() == 0)) {
    static_cast<void>(engine.post(Lane::kMaintenance, returnFreeMemory));
  }
  const std::uint64_t max = engine.countCutAnswers(cutCount);
  return Napi::Number::New(info.Env(), static_cast<double>(max));
}

}  // namespace seriesdb
