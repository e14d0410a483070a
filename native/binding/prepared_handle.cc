#include "binding/prepared_handle.h"

#include <utility>

#include "binding/arguments/arguments.h"
#include "binding/arguments/query_arguments.h"
#include "binding/columns.h"
#include "binding/errors.h"
#include "query/query_reader.h"
#include "query/query_runs.h"

namespace seriesdb {
Napi::Function PreparedHandle::define(Napi::Env env) {
  return DefineClass(env, "NativePrepared", {InstanceMethod<&PreparedHandle::answer>("answer")});
}

PreparedHandle::PreparedHandle(const Napi::CallbackInfo& info)
    : Napi::ObjectWrap<PreparedHandle>(info) {}

void PreparedHandle::begin(std::shared_ptr<Session> session, QueryRequest request) {
  session_ = std::move(session);
  request_ = std::move(request);
  // Each answer sets these fields.
  request_->series = {};
  request_->plan.read.ranges = {};
}

// answer(read: NativePreparedRead, room: Uint8Array): number | null. `room` is filled.
Napi::Value PreparedHandle::answer(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!request_ || session_->isClosed) return raise(env, closedStatus());
  QueryRequest request = *request_;
  if (const Status read = readWhatIsRead(info[0], request); !read.ok()) return raise(env, read);
  // Read after the argument, because reading that may run JavaScript, which may detach the buffer.
  const auto room = readRoom(info[1], sizeof(ShortFigures));
  if (!room.ok()) return raise(env, room.status());
  auto reader = QueryReader::make(*session_->engine, std::move(request));
  if (!reader.ok()) return raise(env, reader.status());
  QueryReader& query = *reader.value();
  if (!query.beginShort()) return env.Null();
  QueryBatch batch;
  if (const Status made = query.next(batch); !made.ok()) return raise(env, made);
  // Null if there are no rows, or more than one piece: the caller then uses a stream.
  if (batch.isEnd || !batch.texts.isLast) return env.Null();
  const ShortFigures figures = shortFigures(batch.texts.rowCount, query.stats());
  return writeShort(env, figures, batch.texts.text, room.value());
}

}  // namespace seriesdb
