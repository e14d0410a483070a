// The methods that change the database or work on its files.
#include <utility>

#include "binding/arguments/arguments.h"
#include "binding/engine_handle.h"
#include "binding/errors.h"
#include "query/answers/answers.h"
#include "storage/compactor/collection.h"

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

}  // namespace

// change(change): Promise<string>. NativeChange of the contract lists the changes.
Napi::Value EngineHandle::change(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!session_ || session_->isClosed) return rejected(env, closedStatus());
  if (!info[0].IsObject()) return rejected(env, Status::invalid("expected a change object"));
  const auto kind = readText(info[0].As<Napi::Object>(), "change");
  if (!kind.ok()) return rejected(env, kind.status());
  if (kind.value() == "annotation") return annotate(env, info[0]);
  if (kind.value() == "deletion") return deleteAnnotation(env, info[0].As<Napi::Object>());
  if (kind.value() == "removal") return remove(env, info[0]);
  return rejected(env, Status::invalid("change must be annotation, deletion or removal"));
}

// Settles the answer with the annotation's JSON.
std::function<void(Result<Annotation>)> EngineHandle::answeredBy(const Answer& answer) {
  session_->completions.expect();
  return [completions = &session_->completions, answer](Result<Annotation> written) {
    std::string json;
    if (written.ok()) appendAnnotationJson(json, written.value());
    completions->post([answer, json = std::move(json), status = written.status()](Napi::Env loop) {
      if (!status.ok()) return answer.reject(loop, status);
      answer.resolve(loop, Napi::String::New(loop, json));
    });
  };
}

Napi::Value EngineHandle::annotate(Napi::Env env, const Napi::Value& value) {
  auto annotation = readAnnotation(value);
  if (!annotation.ok()) return rejected(env, annotation.status());
  auto required = readLabelsAt(value.As<Napi::Object>(), "required");
  if (!required.ok()) return rejected(env, required.status());
  const Answer answer(env);
  session_->engine->annotate(std::move(annotation).value(), answeredBy(answer),
                             std::move(required).value());
  return answer.promise(env);
}

Napi::Value EngineHandle::deleteAnnotation(Napi::Env env, const Napi::Object& deletion) {
  const auto id = readInt64(deletion.Get("id"), "id");
  if (!id.ok()) return rejected(env, id.status());
  auto required = readLabelsAt(deletion, "required");
  if (!required.ok()) return rejected(env, required.status());
  const Answer answer(env);
  // Ids are never negative. A negative number becomes a large id that does not exist.
  session_->engine->deleteAnnotation(static_cast<std::uint64_t>(id.value()), answeredBy(answer),
                                     std::move(required).value());
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

// maintain(task, name or request, if any); see NativeEngine of the contract.
Napi::Value EngineHandle::maintain(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!session_ || session_->isClosed) return rejected(env, closedStatus());
  const auto task =
      info[0].IsString() ? fromWord<MaintenanceTask>(textOf(info[0])) : std::nullopt;
  if (!task) return rejected(env, wrongArgument("task", "one of the words in names.ts"));
  if (*task == MaintenanceTask::kCollect) return collect(env, info[1]);
  if (*task == MaintenanceTask::kFlush) {
    const Answer answer(env);
    session_->engine->flush(settles(answer));
    return answer.promise(env);
  }
  return maintainSnapshot(env, *task, info[1]);
}

Napi::Value EngineHandle::maintainSnapshot(Napi::Env env, MaintenanceTask task,
                                           const Napi::Value& value) {
  if (!value.IsString()) return rejected(env, wrongArgument("name", "a text"));
  std::string name = textOf(value);
  const Answer answer(env);
  if (task == MaintenanceTask::kCreateSnapshot) {
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

// The result settles the answer on the JavaScript thread. Call it once, on any thread.
std::function<void(Status)> EngineHandle::settles(const Answer& answer) {
  session_->completions.expect();
  return [completions = &session_->completions, answer](const Status& status) {
    completions->post([answer, status](Napi::Env loop) {
      status.ok() ? answer.resolve(loop, loop.Undefined()) : answer.reject(loop, status);
    });
  };
}

}  // namespace seriesdb
