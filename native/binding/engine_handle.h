// NativeEngine of src/storage/native/contract.ts.
#pragma once

#include <napi.h>

#include <functional>
#include <memory>

#include "binding/errors.h"
#include "binding/names.h"
#include "binding/session.h"

namespace seriesdb {

class EngineHandle : public Napi::ObjectWrap<EngineHandle> {
 public:
  static Napi::Function define(Napi::Env env);
  explicit EngineHandle(const Napi::CallbackInfo& info);
  ~EngineHandle() override;

  void begin(std::shared_ptr<Session> session);
  // Null if the value is not an engine, whatever its prototype.
  static EngineHandle* of(const Napi::Value& value);
  // Null before begin().
  const std::shared_ptr<Session>& session() const { return session_; }

 private:
  Napi::Value beginIngest(const Napi::CallbackInfo& info);
  Napi::Value beginDecoder(const Napi::CallbackInfo& info);
  Napi::Value openAnswer(const Napi::CallbackInfo& info);
  Napi::Value openQuery(const Napi::CallbackInfo& info);
  Napi::Value prepareQuery(const Napi::CallbackInfo& info);
  Napi::Value openSteps(const Napi::CallbackInfo& info);
  Napi::Value answerSteps(const Napi::CallbackInfo& info);
  Napi::Value printSteps(Napi::Env env, const Napi::Value& value);
  Napi::Value change(const Napi::CallbackInfo& info);
  std::function<void(Result<Annotation>)> answeredBy(const Answer& answer);
  Napi::Value annotate(Napi::Env env, const Napi::Value& value);
  Napi::Value deleteAnnotation(Napi::Env env, const Napi::Object& deletion);
  Napi::Value remove(Napi::Env env, const Napi::Value& value);
  Napi::Value configure(const Napi::CallbackInfo& info);
  Napi::Value maintain(const Napi::CallbackInfo& info);
  Napi::Value maintainSnapshot(Napi::Env env, MaintenanceTask task, const Napi::Value& value);
  Napi::Value collect(Napi::Env env, const Napi::Value& value);
  Napi::Value stats(const Napi::CallbackInfo& info);
  Napi::Value holdUnread(const Napi::CallbackInfo& info);
  Napi::Value share(const Napi::CallbackInfo& info);
  Napi::Value close(const Napi::CallbackInfo& info);
  std::function<void(Status)> settles(const Answer& answer);
  static void closeAtExit(void* session);

  std::shared_ptr<Session> session_;
};

}  // namespace seriesdb
