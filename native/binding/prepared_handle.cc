#include "binding/prepared_handle.h"

#include <utility>

#include "binding/arguments/query_arguments.h"
#include "binding/columns.h"
#include "binding/errors.h"
#include "binding/texts.h"
#include "query/query_reader.h"

namespace seriesdb {

Napi::Function PreparedHandle::define(Napi::Env env) {
  return DefineClass(env, "NativePrepared", {InstanceMethod<&PreparedHandle::answer>("answer")});
}

PreparedHandle::PreparedHandle(const Napi::CallbackInfo& info)
    : Napi::ObjectWrap<PreparedHandle>(info) {}

void PreparedHandle::begin(std::shared_ptr<Session> session, QueryRequest request) {
  session_ = std::move(session);
  request_ = std::move(request);
  // Each answer brings its own.
  request_->series = {};
  request_->plan.read.ranges = {};
}

// answer(read: NativePreparedRead): NativeShortAnswer | null.
Napi::Value PreparedHandle::answer(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!request_ || session_->isClosed) return raise(env, closedStatus());
  QueryRequest request = *request_;
  if (const Status read = readWhatIsRead(info[0], request); !read.ok()) return raise(env, read);
  auto reader = QueryReader::make(*session_->engine, std::move(request));
  if (!reader.ok()) return raise(env, reader.status());
  QueryReader& query = *reader.value();
  if (!query.isShort()) return env.Null();
  QueryBatch batch;
  if (const Status made = query.next(batch); !made.ok()) return raise(env, made);
  // Without rows, or with more than a piece of them, it is for a stream.
  if (batch.isEnd || !batch.texts.isLast) return env.Null();
  const Napi::Object object = makeRowTexts(env, batch.texts);
  if (!object.IsEmpty()) object.Set("stats", makeStats(env, query.stats()));
  return object;
}

}  // namespace seriesdb
