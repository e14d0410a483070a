#include "binding/query_handle.h"

#include <utility>

#include "binding/columns.h"
#include "binding/errors.h"
#include "binding/reader_work.h"

namespace seriesdb {

Napi::Function QueryHandle::define(Napi::Env env) {
  return DefineClass(
      env, "NativeQueryReader",
      {InstanceMethod<&QueryHandle::next>("next"), InstanceMethod<&QueryHandle::stats>("stats"),
       InstanceMethod<&QueryHandle::close>("close")});
}

QueryHandle::QueryHandle(const Napi::CallbackInfo& info) : Napi::ObjectWrap<QueryHandle>(info) {}

QueryHandle::~QueryHandle() {
  if (work_ && !work_->isBusy) work_->release(Env());
}

void QueryHandle::begin(std::shared_ptr<Session> session, std::unique_ptr<BatchSource> source) {
  session_ = std::move(session);
  work_ = std::make_shared<Work>();
  work_->engine = session_->engine;
  work_->source = std::move(source);
}

void QueryHandle::Work::release(Napi::Env env) {
  if (!source) return;
  lastStats = source->stats();
  source->release(env);
  source.reset();
  engine.reset();
}

void QueryHandle::Work::settle(Napi::Env env, const Answer& answer, const Status& status) {
  if (!status.ok()) {
    answer.reject(env, status);
  } else {
    answer.resolve(env, source->pack(env));
  }
  source->settle(env);
  if (isClosed) release(env);
}

// next(): Promise<NativeColumnBatch | NativeTable | NativeRowTexts | NativeStepTable | null>.
Napi::Value QueryHandle::next(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!work_ || work_->isClosed || session_->isClosed) return rejected(env, closedStatus());
  return nextOf(env, *session_, work_);
}

// stats(): NativeQueryStats. Not during next(), which writes them.
Napi::Value QueryHandle::stats(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!work_) return raise(env, closedStatus());
  if (work_->isBusy) return raise(env, Status::invalid("next() is running"));
  return makeStats(env, work_->source ? work_->source->stats() : work_->lastStats);
}

// close(): void. Idempotent; a running next() ends early.
Napi::Value QueryHandle::close(const Napi::CallbackInfo& info) {
  if (work_ && !work_->isClosed) {
    work_->isClosed = true;
    work_->source->cancel();
    if (!work_->isBusy) work_->release(info.Env());
  }
  return info.Env().Undefined();
}

}  // namespace seriesdb
