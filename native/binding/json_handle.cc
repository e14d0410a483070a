#include "binding/json_handle.h"

#include <cstring>
#include <utility>

#include "binding/errors.h"

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

Status JsonHandle::makePiece(Engine& engine, Work& work) {
  const StageTimer timer(engine.stages(), work.reader->stage());
  return work.reader->next(work.piece);
}

void JsonHandle::settle(Napi::Env env, const Answer& answer, Work& work, const Status& status) {
  if (!status.ok()) return answer.reject(env, status);
  if (work.piece.empty()) return answer.resolve(env, env.Null());
  auto buffer = Napi::ArrayBuffer::New(env, work.piece.size());
  if (buffer.IsEmpty()) return;
  std::memcpy(buffer.Data(), work.piece.data(), work.piece.size());
  answer.resolve(env, buffer);
}

// next(): Promise<ArrayBuffer | null>. The buffer is given. A short answer is made at once, without
// the way over another thread.
Napi::Value JsonHandle::next(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!work_ || session_->isClosed) return rejected(env, closedStatus());
  if (work_->isBusy) return rejected(env, Status::invalid("next() is already running"));
  const Answer answer(env);
  if (work_->reader->isShort()) {
    const Status status = makePiece(*session_->engine, *work_);
    settle(env, answer, *work_, status);
    return answer.promise(env);
  }
  work_->isBusy = true;
  session_->completions.expect();
  const auto task = [work = work_, engine = session_->engine.get(),
                     completions = &session_->completions, answer] {
    const Status status = makePiece(*engine, *work);
    completions->post([work, status, answer](Napi::Env loop) {
      work->isBusy = false;
      settle(loop, answer, *work, status);
    });
  };
  if (!session_->engine->post(task)) {
    session_->completions.post([answer](Napi::Env loop) { answer.reject(loop, closedStatus()); });
  }
  return answer.promise(env);
}

// close(): void. Idempotent; a running next() ends early.
Napi::Value JsonHandle::close(const Napi::CallbackInfo& info) {
  if (work_) work_->reader->cancel();
  work_.reset();
  return info.Env().Undefined();
}

}  // namespace seriesdb
