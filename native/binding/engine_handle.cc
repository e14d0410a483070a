#include "binding/engine_handle.h"

#include <utility>

#include "answer/answers.h"
#include "binding/arguments/arguments.h"
#include "binding/arguments/query_arguments.h"
#include "binding/errors.h"
#include "binding/ingest_handle.h"
#include "binding/json_handle.h"
#include "binding/query_handle.h"
#include "binding/question.h"
#include "binding/task.h"
#include "binding/zstd_handle.h"

namespace seriesdb {
namespace {

Napi::Object packFigures(Napi::Env env,
                         std::initializer_list<std::pair<const char*, std::uint64_t>> figures) {
  auto object = Napi::Object::New(env);
  for (const auto& [name, value] : figures) object.Set(name, static_cast<double>(value));
  return object;
}

Napi::Object packReport(Napi::Env env, const CollectionReport& report) {
  return packFigures(env, {{"files", report.files},
                           {"bytes", report.bytes},
                           {"commits", report.commits},
                           {"refsBytes", report.refsBytes},
                           {"kept", report.kept}});
}

Result<CollectionRequest> readCollection(const Napi::Value& value) {
  if (!value.IsObject()) return wrongArgument("request", "an object");
  const auto isDryRun = readBoolean(value.As<Napi::Object>(), "isDryRun");
  if (!isDryRun.ok()) return isDryRun.status();
  const auto isOfHistory = readBoolean(value.As<Napi::Object>(), "isOfHistory");
  if (!isOfHistory.ok()) return isOfHistory.status();
  return CollectionRequest{isDryRun.value(), isOfHistory.value()};
}

Result<IngestRequest::Form> readIngestForm(const Napi::Value& value) {
  if (!value.IsObject()) return Status::invalid("expected an options object");
  const auto object = value.As<Napi::Object>();
  const auto precision = readText(object, "precision");
  if (!precision.ok()) return precision.status();
  const auto unit = unitFromName(precision.value());
  if (!unit) return Status::invalid("precision must be s, ms, us or ns");
  const auto isLenient = readBoolean(object, "isLenient");
  if (!isLenient.ok()) return isLenient.status();
  return IngestRequest::Form{*unit, isLenient.value()};
}

// Of the objects that are engines. Random.
constexpr napi_type_tag kEngineTag = {0x5b1f0c9ad2e84c37, 0xa6e13d70f94b2285};

// What `figures` tells: fills `into` if it is long enough. Returns how many numbers that is.
std::size_t copyPoolFigures(const SmallPool* pool, std::span<double> into) {
  constexpr std::size_t kNumbersPerClass = 6;
  const std::size_t count = pool == nullptr ? 0 : SmallPool::kClassCount * kNumbersPerClass;
  if (count == 0 || into.size() < count) return count;
  std::size_t at = 0;
  for (const auto& one : pool->figures()) {
    for (const auto number :
         {one.size, one.allocations, one.inUse, one.highWater, one.refills, one.slabs}) {
      into[at++] = static_cast<double>(number);
    }
  }
  return count;
}

std::size_t copyStageTimes(const StageTimes& times, std::span<double> into) {
  if (into.size() >= StageTimes::kNumberCount) times.copyTo(into);
  return StageTimes::kNumberCount;
}

}  // namespace

Napi::Function EngineHandle::define(Napi::Env env) {
  return DefineClass(
      env, "NativeEngine",
      {InstanceMethod<&EngineHandle::beginIngest>("beginIngest"),
       InstanceMethod<&EngineHandle::beginZstd>("beginZstd"),
       InstanceMethod<&EngineHandle::openRange>("openRange"),
       InstanceMethod<&EngineHandle::openAnswer>("openAnswer"),
       InstanceMethod<&EngineHandle::openQuery>("openQuery"),
       InstanceMethod<&EngineHandle::configure>("configure"),
       InstanceMethod<&EngineHandle::change>("change"),
       InstanceMethod<&EngineHandle::flush>("flush"),
       InstanceMethod<&EngineHandle::maintain>("maintain"),
       InstanceMethod<&EngineHandle::stats>("stats"),
       InstanceMethod<&EngineHandle::figures>("figures"),
       InstanceMethod<&EngineHandle::degradedReasons>("degradedReasons"),
       InstanceMethod<&EngineHandle::close>("close")});
}

EngineHandle::EngineHandle(const Napi::CallbackInfo& info) : Napi::ObjectWrap<EngineHandle>(info) {}

EngineHandle::~EngineHandle() {
  if (!session_) return;
  napi_remove_env_cleanup_hook(Env(), &EngineHandle::closeAtExit, session_.get());
  session_->isClosed = true;
  // Nobody is left to hear of a failure.
  static_cast<void>(session_->engine->close().ok());
}

// The threads must be gone before the environment they post to.
void EngineHandle::closeAtExit(void* session) {
  auto* ending = static_cast<Session*>(session);
  ending->isClosed = true;
  static_cast<void>(ending->engine->close().ok());
  ending->completions.release();
}

void EngineHandle::begin(std::shared_ptr<Session> session) {
  session_ = std::move(session);
  Value().TypeTag(&kEngineTag);
  session_->completions.setOwner(Value());
  napi_add_env_cleanup_hook(Env(), &EngineHandle::closeAtExit, session_.get());
}

EngineHandle* EngineHandle::of(const Napi::Value& value) {
  if (!value.IsObject()) return nullptr;
  const auto object = value.As<Napi::Object>();
  return object.CheckTypeTag(&kEngineTag) ? Unwrap(object) : nullptr;
}

// beginIngest(options): NativeIngest.
Napi::Value EngineHandle::beginIngest(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!session_ || session_->isClosed) return raise(env, closedStatus());
  const auto form = readIngestForm(info[0]);
  if (!form.ok()) return raise(env, form.status());
  auto request = IngestRequest::begin(*session_->engine, *session_->lines, form.value());
  if (!request.ok()) return raise(env, request.status());
  const auto object = env.GetInstanceData<Constructors>()->ingest.New({});
  IngestHandle* handle = handleOf<IngestHandle>(object);
  if (handle != nullptr) handle->begin(session_, std::move(request).value());
  return object;
}

// beginZstd(): NativeZstd.
Napi::Value EngineHandle::beginZstd(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!session_ || session_->isClosed) return raise(env, closedStatus());
  auto body = ZstdBody::begin(*session_->engine);
  if (!body.ok()) return raise(env, body.status());
  const auto object = env.GetInstanceData<Constructors>()->zstd.New({});
  ZstdHandle* handle = handleOf<ZstdHandle>(object);
  if (handle != nullptr) handle->begin(session_, std::move(body).value());
  return object;
}

// openRange(selector, start, end): NativeJsonReader.
Napi::Value EngineHandle::openRange(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!session_ || session_->isClosed) return raise(env, closedStatus());
  const auto selector = readSelector(info[0]);
  if (!selector.ok()) return raise(env, selector.status());
  const auto start = readInt64(info[1], "start");
  if (!start.ok()) return raise(env, start.status());
  const auto end = readInt64(info[2], "end");
  if (!end.ok()) return raise(env, end.status());
  auto reader = seriesdb::openRange(*session_->engine, selector.value(),
                                    {start.value(), end.value()});
  if (!reader.ok()) return raise(env, reader.status());
  const auto object = env.GetInstanceData<Constructors>()->jsonReader.New({});
  JsonHandle* handle = handleOf<JsonHandle>(object);
  if (handle != nullptr) handle->begin(session_, std::move(reader).value());
  return object;
}

// openAnswer(question): NativeJsonReader.
Napi::Value EngineHandle::openAnswer(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!session_ || session_->isClosed) return raise(env, closedStatus());
  auto reader = openQuestion(*session_->engine, info[0]);
  if (!reader.ok()) return raise(env, reader.status());
  const auto object = env.GetInstanceData<Constructors>()->jsonReader.New({});
  JsonHandle* handle = handleOf<JsonHandle>(object);
  if (handle != nullptr) handle->begin(session_, std::move(reader).value());
  return object;
}

// openQuery(query): NativeQueryReader.
Napi::Value EngineHandle::openQuery(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!session_ || session_->isClosed) return raise(env, closedStatus());
  auto request = readQuery(info[0]);
  if (!request.ok()) return raise(env, request.status());
  const bool isTable = request.value().answer == QueryAnswer::kGroups;
  const QueryForm form = request.value().text ? QueryForm::kTexts
                         : isTable            ? QueryForm::kTable
                                              : QueryForm::kColumns;
  auto reader = QueryReader::make(*session_->engine, std::move(request).value());
  if (!reader.ok()) return raise(env, reader.status());
  const auto object = env.GetInstanceData<Constructors>()->queryReader.New({});
  QueryHandle* handle = handleOf<QueryHandle>(object);
  if (handle != nullptr) handle->begin(session_, std::move(reader).value(), form);
  return object;
}

// configure(limits): void.
Napi::Value EngineHandle::configure(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!session_ || session_->isClosed) return raise(env, closedStatus());
  const auto limits = readEngineLimits(info[0]);
  if (!limits.ok()) return raise(env, limits.status());
  session_->engine->configure(limits.value());
  return env.Undefined();
}

// change(change): Promise<string>. `change` of NativeChange tells which.
Napi::Value EngineHandle::change(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!session_ || session_->isClosed) return rejected(env, closedStatus());
  if (!info[0].IsObject()) return rejected(env, Status::invalid("expected a change object"));
  const auto kind = readText(info[0].As<Napi::Object>(), "change");
  if (!kind.ok()) return rejected(env, kind.status());
  if (kind.value() == "annotation") return annotate(env, info[0]);
  if (kind.value() == "removal") return remove(env, info[0]);
  return rejected(env, Status::invalid("change must be annotation or removal"));
}

Napi::Value EngineHandle::annotate(Napi::Env env, const Napi::Value& value) {
  auto annotation = readAnnotation(value);
  if (!annotation.ok()) return rejected(env, annotation.status());
  const Answer answer(env);
  session_->completions.expect();
  const auto done = [completions = &session_->completions, answer](Result<Annotation> written) {
    std::string json;
    if (written.ok()) appendAnnotationJson(json, written.value());
    completions->post([answer, json = std::move(json), status = written.status()](Napi::Env loop) {
      if (!status.ok()) return answer.reject(loop, status);
      answer.resolve(loop, Napi::String::New(loop, json));
    });
  };
  session_->engine->annotate(std::move(annotation).value(), done);
  return answer.promise(env);
}

Napi::Value EngineHandle::remove(Napi::Env env, const Napi::Value& value) {
  auto removal = readRemoval(value);
  if (!removal.ok()) return rejected(env, removal.status());
  const Answer answer(env);
  session_->completions.expect();
  const auto done = [completions = &session_->completions, answer](Result<std::uint64_t> removed) {
    completions->post([answer, removed = std::move(removed)](Napi::Env loop) {
      if (!removed.ok()) return answer.reject(loop, removed.status());
      answer.resolve(loop, Napi::String::New(loop, std::to_string(removed.value())));
    });
  };
  session_->engine->remove(std::move(removal).value(), done);
  return answer.promise(env);
}

// flush(): Promise<void>.
Napi::Value EngineHandle::flush(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!session_ || session_->isClosed) return rejected(env, closedStatus());
  const Answer answer(env);
  session_->engine->flush(settles(answer));
  return answer.promise(env);
}

// maintain(task, name or request): what NativeEngine of src/native/contract.ts says of the task.
Napi::Value EngineHandle::maintain(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!session_ || session_->isClosed) return rejected(env, closedStatus());
  const auto task = info[0].IsString()
                        ? fromWord<MaintenanceTask>(info[0].As<Napi::String>().Utf8Value())
                        : std::nullopt;
  if (!task) return rejected(env, wrongArgument("task", "one of those in names.ts"));
  if (*task == MaintenanceTask::kCollect) return collect(env, info[1]);
  if (!info[1].IsString()) return rejected(env, wrongArgument("name", "a text"));
  std::string name = info[1].As<Napi::String>().Utf8Value();
  const Answer answer(env);
  if (*task == MaintenanceTask::kCreateSnapshot) {
    session_->engine->createSnapshot(std::move(name), settles(answer));
  } else {
    session_->engine->deleteSnapshot(std::move(name), settles(answer));
  }
  return answer.promise(env);
}

Napi::Value EngineHandle::collect(Napi::Env env, const Napi::Value& value) {
  const auto request = readCollection(value);
  if (!request.ok()) return rejected(env, request.status());
  const Answer answer(env);
  session_->completions.expect();
  const auto done = [completions = &session_->completions,
                     answer](const Result<CollectionReport>& report) {
    completions->post([answer, report](Napi::Env loop) {
      if (!report.ok()) return answer.reject(loop, report.status());
      answer.resolve(loop, packReport(loop, report.value()));
    });
  };
  session_->engine->collect(request.value(), done);
  return answer.promise(env);
}

// Resolves or rejects on the JavaScript thread, whichever thread it is called by; once.
std::function<void(Status)> EngineHandle::settles(const Answer& answer) {
  session_->completions.expect();
  return [completions = &session_->completions, answer](const Status& status) {
    completions->post([answer, status](Napi::Env loop) {
      status.ok() ? answer.resolve(loop, loop.Undefined()) : answer.reject(loop, status);
    });
  };
}

// stats(): Record<string, number>.
Napi::Value EngineHandle::stats(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!session_ || session_->isClosed) return raise(env, closedStatus());
  auto object = Napi::Object::New(env);
  for (const auto& [name, value] : session_->engine->stats()) object.Set(name, value);
  return object;
}

// figures(kind, into): number. `into` is filled.
Napi::Value EngineHandle::figures(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!session_ || session_->isClosed) return raise(env, closedStatus());
  const auto into = readNumbers(info[1]);
  if (!into.ok()) return raise(env, into.status());
  const auto kind = info[0].IsString() ? info[0].As<Napi::String>().Utf8Value() : std::string();
  std::size_t count = 0;
  if (kind == "stages") {
    count = copyStageTimes(session_->engine->stages(), into.value());
  } else if (kind == "allocator") {
    count = copyPoolFigures(session_->engine->pool(), into.value());
  } else {
    return raise(env, Status::invalid("kind must be stages or allocator"));
  }
  return Napi::Number::New(env, static_cast<double>(count));
}

// degradedReasons(): string[].
Napi::Value EngineHandle::degradedReasons(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!session_ || session_->isClosed) return raise(env, closedStatus());
  const auto reasons = session_->engine->degradedReasons();
  auto array = Napi::Array::New(env, reasons.size());
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    array.Set(static_cast<std::uint32_t>(i), reasons[i]);
  }
  return array;
}

// close(): Promise<void>. Idempotent; each call says what came of it.
Napi::Value EngineHandle::close(const Napi::CallbackInfo& info) {
  if (session_) session_->isClosed = true;
  return runTask<bool>(
      info.Env(),
      [session = session_]() -> Result<bool> {
        const Status closed = session ? session->engine->close() : Status::okStatus();
        if (!closed.ok()) return closed;
        return true;
      },
      [](Napi::Env env, bool) -> Napi::Value { return env.Undefined(); });
}

}  // namespace seriesdb
