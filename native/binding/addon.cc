// The exports of the addon; src/storage/native/contract.ts documents them.
#include <napi.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "binding/arguments/arguments.h"
#include "binding/arguments/report_request.h"
#include "binding/decoder_handle.h"
#include "binding/engine_handle.h"
#include "binding/errors.h"
#include "binding/ingest_handle.h"
#include "binding/json_handle.h"
#include "binding/names.h"
#include "binding/prepared_handle.h"
#include "binding/query_handle.h"
#include "binding/server/sockets.h"
#include "binding/store_handle.h"
#include "binding/task.h"
#include "common/base/receive_buffers.h"
#include "common/file/file_system.h"
#include "common/file/read_only_file_system.h"
#include "format/codec/kernels.h"
#include "query/expression/math_functions.h"
#include "shipping/shipping.h"
#include "storage/engine/shared_engines.h"
#include "storage/state/free_memory.h"

namespace seriesdb {
namespace {

Napi::Value packEngine(Napi::Env env, std::shared_ptr<Engine> engine,
                       std::shared_ptr<OpenEngine> owner, const std::string& note) {
  const auto object = env.GetInstanceData<Constructors>()->engine.New({});
  EngineHandle* handle = handleOf<EngineHandle>(object);
  if (handle == nullptr) return {};
  handle->begin(std::make_shared<Session>(env, std::move(engine), std::move(owner)));
  if (!note.empty()) object.Set("note", note);
  return object;
}

// The engine that already has the directory open; null if there is none.
Result<std::shared_ptr<Engine>> besideOf(const Napi::Object& options) {
  const Napi::Value beside = options.Get("beside");
  if (beside.IsNull()) return std::shared_ptr<Engine>();
  const EngineHandle* handle = EngineHandle::of(beside);
  if (handle == nullptr) return wrongArgument("beside", "an engine");
  const auto& session = handle->session();
  if (!session || session->isClosed) return closedStatus();
  return session->engine;
}

struct OwnEngine {
  std::shared_ptr<OpenEngine> opened;
  std::string note;  // For the operator; may be empty.
};

Result<OwnEngine> openOwn(FileSystem& fs, const EngineOptions& options,
                          const std::optional<BucketOptions>& bucket) {
  if (bucket) {
    auto shipped = openShipped(fs, options, *bucket);
    if (!shipped.ok()) return shipped.status();
    auto& [engine, note] = shipped.value();
    return OwnEngine{std::make_shared<OpenEngine>(std::move(engine)), std::move(note)};
  }
  auto engine = Engine::open(fs, options);
  if (!engine.ok()) return engine.status();
  return OwnEngine{std::make_shared<OpenEngine>(std::move(engine).value()), {}};
}

// openEngine(options): Promise<NativeEngine>.
Napi::Value openEngine(const Napi::CallbackInfo& info) {
  const auto options = readEngineOptions(info[0]);
  if (!options.ok()) return rejected(info.Env(), options.status());
  const auto bucket = readBucketOptions(info[0].As<Napi::Object>().Get("bucket"));
  if (!bucket.ok()) return rejected(info.Env(), bucket.status());
  if (bucket.value() && options.value().isReadOnly) {
    return rejected(info.Env(), Status::invalid("a reader has no bucket"));
  }
  const auto beside = besideOf(info[0].As<Napi::Object>());
  if (!beside.ok()) return rejected(info.Env(), beside.status());
  const PastState past = options.value();
  return runTask<OwnEngine>(
      info.Env(),
      [options = options.value(), beside = beside.value(),
       bucket = bucket.value()]() mutable -> Result<OwnEngine> {
        FileSystem& fs = options.isReadOnly ? readOnlyFileSystem() : posixFileSystem();
        if (!beside || !options.isAny()) return openOwn(fs, options, bucket);
        auto opened = openPast(beside, fs, std::move(options));
        if (!opened.ok()) return opened.status();
        return OwnEngine{std::move(opened).value(), {}};
      },
      [past](Napi::Env env, OwnEngine own) {
        auto engine = own.opened->engine();
        const std::string note = own.note.empty() ? engine->noteFor(past) : own.note;
        return packEngine(env, engine, std::move(own.opened), note);
      });
}

// joinEngine(number): NativeEngine.
Napi::Value joinEngine(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!info[0].IsNumber()) return raise(env, Status::invalid("joinEngine takes a number"));
  auto engine = joinableEngine(info[0].As<Napi::Number>().Uint32Value());
  if (!engine) return raise(env, closedStatus());
  return packEngine(env, std::move(engine), nullptr, {});
}

// openReport(request): NativeJsonReader.
Napi::Value openReport(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  auto reader = readReport(info[0]);
  if (!reader.ok()) return raise(env, reader.status());
  const auto object = env.GetInstanceData<Constructors>()->jsonReader.New({});
  JsonHandle* handle = handleOf<JsonHandle>(object);
  if (handle != nullptr) handle->begin(std::move(reader).value());
  return object;
}

// makeStore(): NativeStore.
Napi::Value makeStore(const Napi::CallbackInfo& info) {
  const auto object = info.Env().GetInstanceData<Constructors>()->store.New({});
  StoreHandle* handle = handleOf<StoreHandle>(object);
  if (handle != nullptr) handle->begin();
  return object;
}

// facts(): { kernel, statuses, names }.
Napi::Value facts(const Napi::CallbackInfo& info) {
  auto statuses = Napi::Array::New(info.Env());
  for (std::uint32_t i = 1; i <= static_cast<std::uint32_t>(kLastStatusCode); ++i) {
    statuses.Set(i - 1, std::string(statusName(static_cast<StatusCode>(i))));
  }
  auto facts = Napi::Object::New(info.Env());
  facts.Set("kernel", std::string(kernels().name));
  facts.Set("statuses", statuses);
  facts.Set("names", packNames(info.Env()));
  return facts;
}

// math(code, x, y): number.
Napi::Value math(const Napi::CallbackInfo& info) {
  if (!info[0].IsNumber() || !info[1].IsNumber() || !info[2].IsNumber()) {
    return raise(info.Env(), Status::invalid("math takes three numbers"));
  }
  const std::uint32_t code = info[0].As<Napi::Number>().Uint32Value();
  if (code >= kMathFunctions) return raise(info.Env(), Status::invalid("no such function"));
  const double x = info[1].As<Napi::Number>().DoubleValue();
  const double y = info[2].As<Napi::Number>().DoubleValue();
  return Napi::Number::New(info.Env(), mathOf(static_cast<MathFunction>(code), x, y));
}

// narrowConnections(port, isNarrow): number.
Napi::Value narrow(const Napi::CallbackInfo& info) {
  if (!info[0].IsNumber() || !info[1].IsBoolean()) {
    return raise(info.Env(), Status::invalid("narrowConnections takes a port and a boolean"));
  }
  const auto port = static_cast<std::uint16_t>(info[0].As<Napi::Number>().Uint32Value());
  const std::size_t count = narrowConnections(port, info[1].As<Napi::Boolean>().Value());
  return Napi::Number::New(info.Env(), static_cast<double>(count));
}

// freeBuffer(buffer): void.
Napi::Value freeBuffer(const Napi::CallbackInfo& info) {
  if (!info[0].IsArrayBuffer()) {
    return raise(info.Env(), Status::invalid("freeBuffer takes an ArrayBuffer"));
  }
  info[0].As<Napi::ArrayBuffer>().Detach();
  return info.Env().Undefined();
}

Napi::Object initialize(Napi::Env env, Napi::Object exports) {
  // Answers allocate and free some megabytes each: neither their speed nor the memory kept may
  // depend on what was freed before.
  fixAllocatorThresholds();
  auto constructors = std::make_unique<Constructors>();
  constructors->engine = Napi::Persistent(EngineHandle::define(env));
  constructors->ingest = Napi::Persistent(IngestHandle::define(env));
  constructors->jsonReader = Napi::Persistent(JsonHandle::define(env));
  constructors->queryReader = Napi::Persistent(QueryHandle::define(env));
  constructors->prepared = Napi::Persistent(PreparedHandle::define(env));
  constructors->decoder = Napi::Persistent(DecoderHandle::define(env));
  constructors->store = Napi::Persistent(StoreHandle::define(env));
  env.SetInstanceData(constructors.release());  // The environment frees it.
  exports.Set("openEngine", Napi::Function::New(env, openEngine));
  exports.Set("joinEngine", Napi::Function::New(env, joinEngine));
  exports.Set("openReport", Napi::Function::New(env, openReport));
  exports.Set("makeStore", Napi::Function::New(env, makeStore));
  exports.Set("facts", Napi::Function::New(env, facts));
  exports.Set("math", Napi::Function::New(env, math));
  exports.Set("narrowConnections", Napi::Function::New(env, narrow));
  exports.Set("copyDescriptor", Napi::Function::New(env, copyDescriptor));
  exports.Set("sendNow", Napi::Function::New(env, sendNow));
  exports.Set("unconfirmedBytes", Napi::Function::New(env, unconfirmedBytes));
  exports.Set("freeBuffer", Napi::Function::New(env, freeBuffer));
  return exports;
}

}  // namespace
}  // namespace seriesdb

static Napi::Object initializeAddon(Napi::Env env, Napi::Object exports) {
  return seriesdb::initialize(env, exports);
}
NODE_API_MODULE(seriesdb, initializeAddon)
