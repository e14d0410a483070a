#include "binding/range_handle.h"

#include <cstring>
#include <utility>

#include "binding/errors.h"

namespace seriesdb {

Napi::Function RangeHandle::define(Napi::Env env) {
  return DefineClass(
      env, "NativeRangeReader",
      {InstanceMethod<&RangeHandle::next>("next"), InstanceMethod<&RangeHandle::close>("close")});
}

RangeHandle::RangeHandle(const Napi::CallbackInfo& info) : Napi::ObjectWrap<RangeHandle>(info) {}

void RangeHandle::begin(std::shared_ptr<Session> session, std::unique_ptr<RangeReader> reader) {
  session_ = std::move(session);
  work_ = std::make_shared<Work>();
  work_->reader = std::move(reader);
}

void RangeHandle::settle(Napi::Env env, const Napi::Promise::Deferred& deferred, Work& work,
                         const Status& status) {
  if (!status.ok()) return deferred.Reject(makeError(env, status).Value());
  if (work.piece.empty()) return deferred.Resolve(env.Null());
  auto buffer = Napi::ArrayBuffer::New(env, work.piece.size());
  std::memcpy(buffer.Data(), work.piece.data(), work.piece.size());
  deferred.Resolve(buffer);
}

// next(): Promise<ArrayBuffer | null>. The buffer is given. A short answer is made at once, without
// the way over another thread.
Napi::Value RangeHandle::next(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!work_ || session_->isClosed) return rejected(env, closedStatus());
  if (work_->isBusy) return rejected(env, Status::invalid("next() is already running"));
  const auto deferred = Napi::Promise::Deferred::New(env);
  if (work_->reader->isShort()) {
    const Status status = work_->reader->next(work_->piece);
    settle(env, deferred, *work_, status);
    return deferred.Promise();
  }
  work_->isBusy = true;
  session_->completions.expect();
  const auto task = [work = work_, completions = &session_->completions, deferred] {
    const Status status = work->reader->next(work->piece);
    completions->post([work, status, deferred](Napi::Env loop) {
      work->isBusy = false;
      settle(loop, deferred, *work, status);
    });
  };
  if (!session_->engine->post(task)) {
    session_->completions.post(
        [deferred](Napi::Env loop) { deferred.Reject(makeError(loop, closedStatus()).Value()); });
  }
  return deferred.Promise();
}

// close(): void. Idempotent; a running next() ends early.
Napi::Value RangeHandle::close(const Napi::CallbackInfo& info) {
  if (work_) work_->reader->cancel();
  work_.reset();
  return info.Env().Undefined();
}

}  // namespace seriesdb
