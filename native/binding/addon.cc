// The exports of the addon; src/native/contract.ts says what each means.
#include <napi.h>

#include <memory>
#include <utility>

#include "base/file_system.h"
#include "binding/arguments.h"
#include "binding/engine_handle.h"
#include "binding/errors.h"
#include "binding/ingest_handle.h"
#include "binding/json_handle.h"
#include "binding/query_handle.h"
#include "binding/task.h"
#include "binding/zstd_handle.h"
#include "codec/kernels.h"

namespace seriesdb {
namespace {

// Bounds the frame cache: about 400,000 frames of one line with two labels.
constexpr std::size_t kFrameCacheBytes = std::size_t{128} << 20;

Napi::Value packEngine(Napi::Env env, std::unique_ptr<Engine> engine) {
  const auto object = env.GetInstanceData<Constructors>()->engine.New({});
  EngineHandle* handle = handleOf<EngineHandle>(object);
  if (handle == nullptr) return {};
  auto session = std::make_shared<Session>(env);
  session->engine = std::move(engine);
  session->parsers = ParserState::make(session->engine->index(), kFrameCacheBytes);
  handle->begin(std::move(session));
  return object;
}

// openEngine(options): Promise<NativeEngine>.
Napi::Value openEngine(const Napi::CallbackInfo& info) {
  const auto options = readEngineOptions(info[0]);
  if (!options.ok()) return rejected(info.Env(), options.status());
  return runTask<std::unique_ptr<Engine>>(
      info.Env(), [options = options.value()] { return Engine::open(posixFileSystem(), options); },
      packEngine);
}

// statusNames(): string[].
Napi::Value statusNames(const Napi::CallbackInfo& info) {
  auto names = Napi::Array::New(info.Env());
  for (std::uint32_t i = 1; i <= static_cast<std::uint32_t>(kLastStatusCode); ++i) {
    names.Set(i - 1, std::string(statusName(static_cast<StatusCode>(i))));
  }
  return names;
}

// kernelName(): string.
Napi::Value kernelName(const Napi::CallbackInfo& info) {
  return Napi::String::New(info.Env(), std::string(kernels().name));
}

Napi::Object initialize(Napi::Env env, Napi::Object exports) {
  auto constructors = std::make_unique<Constructors>();
  constructors->engine = Napi::Persistent(EngineHandle::define(env));
  constructors->ingest = Napi::Persistent(IngestHandle::define(env));
  constructors->jsonReader = Napi::Persistent(JsonHandle::define(env));
  constructors->queryReader = Napi::Persistent(QueryHandle::define(env));
  constructors->zstd = Napi::Persistent(ZstdHandle::define(env));
  env.SetInstanceData(constructors.release());  // The environment frees it.
  exports.Set("openEngine", Napi::Function::New(env, openEngine));
  exports.Set("statusNames", Napi::Function::New(env, statusNames));
  exports.Set("kernelName", Napi::Function::New(env, kernelName));
  return exports;
}

}  // namespace
}  // namespace seriesdb

static Napi::Object initializeAddon(Napi::Env env, Napi::Object exports) {
  return seriesdb::initialize(env, exports);
}
NODE_API_MODULE(seriesdb, initializeAddon)
