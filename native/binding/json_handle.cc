#include "binding/json_handle.h"

#include <cstring>
#include <utility>

#include "binding/errors.h"
#include "binding/reader_work.h"

namespace seriesdb {

Napi::Function JsonHandle::define(Napi::Env env) {
  return DefineClass(
      env, "NativeJsonReader",
      {InstanceMethod<&JsonHandle::next>("next"), InstanceMethod<&JsonHandle::close>("close")});
}

JsonHandle::JsonHandle(const Napi::CallbackInfo& info) : Napi::ObjectWrap<JsonHandle>(info) {}

void JsonHandle::begin(std::shared_ptr<Session> session, std::unique_ptr<JsonReader> reader) {
  session_ = std::move(session);
  work_ = std::make_shared<Work>();
  work_->reader = std::move(reader);
}

Status JsonHandle::Work::make(Engine& engine) {
  const StageTimer timer(engine.stages(), reader->stage());
  return reader->next(piece);
}

void JsonHandle::Work::settle(Napi::Env env, const Answer& answer, const Status& status) {
  if (!status.ok()) return answer.reject(env, status);
  if (piece.empty()) return answer.resolve(env, env.Null());
  auto buffer = Napi::ArrayBuffer::New(env, piece.size());
  if (buffer.IsEmpty()) return;
  std::memcpy(buffer.Data(), piece.data(), piece.size());
  answer.resolve(env, buffer);
}

// next(): Promise<ArrayBuffer | null>. The buffer is given.
Napi::Value JsonHandle::next(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!work_ || session_->isClosed) return rejected(env, closedStatus());
  return nextOf(env, *session_, work_);
}

// close(): void. Idempotent; a running next() ends early.
Napi::Value JsonHandle::close(const Napi::CallbackInfo& info) {
  if (work_) work_->reader->cancel();
  work_.reset();
  return info.Env().Undefined();
}

}  // namespace seriesdb
