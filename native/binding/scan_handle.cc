#include "binding/scan_handle.h"

#include <utility>

#include "binding/columns.h"
#include "binding/errors.h"

namespace seriesdb {

Napi::Function ScanHandle::define(Napi::Env env) {
  return DefineClass(
      env, "NativeScanReader",
      {InstanceMethod<&ScanHandle::next>("next"), InstanceMethod<&ScanHandle::stats>("stats"),
       InstanceMethod<&ScanHandle::close>("close")});
}

ScanHandle::ScanHandle(const Napi::CallbackInfo& info) : Napi::ObjectWrap<ScanHandle>(info) {}

void ScanHandle::begin(std::shared_ptr<Session> session, std::unique_ptr<ColumnReader> reader) {
  session_ = std::move(session);
  work_ = std::make_shared<Work>();
  work_->reader = std::move(reader);
}

void ScanHandle::settle(Napi::Env env, const Answer& answer, const ColumnBatch& batch,
                        const Status& status) {
  if (!status.ok()) return answer.reject(env, status);
  if (batch.ts.empty()) return answer.resolve(env, env.Null());
  auto object = Napi::Object::New(env);
  object.Set("series", makeNumbers(env, batch.series));
  object.Set("ends", makeNumbers(env, batch.ends));
  object.Set("ts", makeTimestamps(env, batch.ts));
  object.Set("values", makeDoubles(env, batch.values));
  answer.resolve(env, object);
}

// next(): Promise<NativeColumnBatch | null>.
Napi::Value ScanHandle::next(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!work_ || isClosed_ || session_->isClosed) return rejected(env, closedStatus());
  if (work_->isBusy) return rejected(env, Status::invalid("next() is already running"));
  const Answer answer(env);
  work_->isBusy = true;
  session_->completions.expect();
  const auto task = [work = work_, completions = &session_->completions, answer] {
    const Status status = work->reader->next(work->batch);
    completions->post([work, status, answer](Napi::Env loop) {
      work->isBusy = false;
      settle(loop, answer, work->batch, status);
    });
  };
  if (!session_->engine->post(task)) {
    session_->completions.post([answer](Napi::Env loop) { answer.reject(loop, closedStatus()); });
  }
  return answer.promise(env);
}

// stats(): NativeQueryStats. Not while next() runs, which writes them.
Napi::Value ScanHandle::stats(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!work_) return raise(env, closedStatus());
  if (work_->isBusy) return raise(env, Status::invalid("next() is running"));
  return makeStats(env, work_->reader->stats());
}

// close(): void. Idempotent; a running next() ends early.
Napi::Value ScanHandle::close(const Napi::CallbackInfo& info) {
  if (work_) work_->reader->cancel();
  isClosed_ = true;
  return info.Env().Undefined();
}

}  // namespace seriesdb
