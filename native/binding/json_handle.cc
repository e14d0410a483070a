#include "binding/json_handle.h"

#include <utility>

#include "binding/columns.h"
#include "binding/errors.h"
#include "binding/reader_work.h"
#include "binding/task.h"
#include "storage/state/stage_times.h"

namespace seriesdb {

Napi::Function JsonHandle::define(Napi::Env env) {
  return DefineClass(
      env, "NativeJsonReader",
      {InstanceMethod<&JsonHandle::next>("next"), InstanceMethod<&JsonHandle::close>("close")});
}

JsonHandle::JsonHandle(const Napi::CallbackInfo& info) : Napi::ObjectWrap<JsonHandle>(info) {}

JsonHandle::~JsonHandle() {
  if (work_ && !work_->isBusy) work_->lent.free(Env());
}

void JsonHandle::begin(std::shared_ptr<Session> session, std::unique_ptr<JsonReader> reader,
                       LentArrays lent) {
  session_ = std::move(session);
  work_ = std::make_shared<Work>();
  if (session_) work_->engine = session_->engine;
  work_->reader = std::move(reader);
  work_->lent = std::move(lent);
}

void JsonHandle::begin(std::unique_ptr<JsonReader> reader) { begin(nullptr, std::move(reader)); }

// A ready piece was already counted when it was made.
Status JsonHandle::Work::make(Engine& engine) {
  if (reader->isReady()) return reader->next(piece);
  const StageTimer timer(engine.stages(), reader->stage());
  // A piece that grows by doubling would leave gaps in the heap that nothing fills.
  if (reader->lane() != Lane::kHere) piece.reserve(JsonReader::kPieceSize / 8 * 9);
  Status made = reader->next(piece);
  // The piece may wait for its client, and its buffer may be twice as large.
  if (piece.size() >= kGivenMin && piece.capacity() / 5 * 4 > piece.size()) piece.shrink_to_fit();
  return made;
}

// Empty if the environment ends.
Napi::Value JsonHandle::Work::pack(Napi::Env env) {
  if (piece.empty()) return env.Null();
  if (piece.size() >= kGivenMin) return giveBuffer(env, std::exchange(piece, {}));
  return copyBuffer(env, piece.data(), piece.size());
}

void JsonHandle::Work::settle(Napi::Env env, const Answer& answer, const Status& status) {
  if (isClosed || !status.ok() || piece.empty()) lent.free(env);
  if (!status.ok()) return answer.reject(env, status);
  ++pieceCount;
  answer.resolve(env, pack(env));
}

// next(): Promise<ArrayBuffer | null>. JavaScript owns the buffer.
Napi::Value JsonHandle::next(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!work_) return rejected(env, closedStatus());
  if (!session_) return nextApart(env);
  if (session_->isClosed) return rejected(env, closedStatus());
  return nextOf(env, *session_, work_);
}

Napi::Value JsonHandle::nextApart(Napi::Env env) {
  using Shared = std::shared_ptr<Work>;
  if (work_->isBusy.exchange(true)) {
    return rejected(env, Status::invalid("next() is already running"));
  }
  return runTask<Shared>(
      env,
      [work = work_]() -> Result<Shared> {
        const Status status = work->reader->next(work->piece);
        work->isBusy = false;
        if (!status.ok()) return status;
        return work;
      },
      [](Napi::Env loop, const Shared& work) { return work->pack(loop); });
}

// close(): void. Idempotent; a running next() ends early.
Napi::Value JsonHandle::close(const Napi::CallbackInfo& info) {
  if (work_) {
    work_->reader->cancel();
    work_->isClosed = true;
    if (!work_->isBusy) work_->lent.free(info.Env());
  }
  work_.reset();
  return info.Env().Undefined();
}

}  // namespace seriesdb
