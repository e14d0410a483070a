#include "binding/query_handle.h"

#include <utility>

#include "binding/columns.h"
#include "binding/errors.h"
#include "binding/reader_work.h"
#include "binding/texts.h"

namespace seriesdb {
namespace {

Napi::Value makeColumns(Napi::Env env, const ColumnBatch& batch) {
  auto object = Napi::Object::New(env);
  object.Set("series", makeNumbers(env, batch.series));
  object.Set("ends", makeNumbers(env, batch.ends));
  object.Set("ts", makeTimestamps(env, batch.ts));
  object.Set("values", makeDoubles(env, batch.values));
  return object;
}

Napi::Value makeTexts(Napi::Env env, const ResultColumn& column) {
  auto texts = Napi::Array::New(env, column.texts.size());
  for (std::uint32_t i = 0; i < column.texts.size(); ++i) {
    texts.Set(i, Napi::String::New(env, column.texts[i].data(), column.texts[i].size()));
  }
  auto object = Napi::Object::New(env);
  object.Set("texts", texts);
  object.Set("codes", makeNumbers(env, column.codes));
  return object;
}

Napi::Value makeIntegers(Napi::Env env, const ResultColumn& column) {
  if (column.nulls.empty()) return makeTimestamps(env, column.integers);
  auto object = Napi::Object::New(env);
  object.Set("integers", makeTimestamps(env, column.integers));
  object.Set("nulls", makeBytes(env, column.nulls));
  return object;
}

Napi::Value makeTable(Napi::Env env, const ResultTable& table) {
  auto columns = Napi::Array::New(env, table.columns.size());
  for (std::uint32_t i = 0; i < table.columns.size(); ++i) {
    const ResultColumn& column = table.columns[i];
    switch (column.kind) {
      case ResultColumn::Kind::kInteger:
        columns.Set(i, makeIntegers(env, column));
        break;
      case ResultColumn::Kind::kSeriesId:
        columns.Set(i, makeIds(env, column.ids));
        break;
      case ResultColumn::Kind::kDouble:
        columns.Set(i, makeDoubles(env, column.doubles));
        break;
      case ResultColumn::Kind::kText:
        columns.Set(i, makeTexts(env, column));
        break;
      case ResultColumn::Kind::kBoolean:
        columns.Set(i, makeBytes(env, column.booleans));
        break;
    }
  }
  auto object = Napi::Object::New(env);
  object.Set("rowCount", static_cast<double>(table.rowCount));
  object.Set("columns", columns);
  return object;
}

Napi::Value makeBatch(Napi::Env env, QueryForm form, const QueryBatch& batch) {
  switch (form) {
    case QueryForm::kColumns:
      return makeColumns(env, batch.columns);
    case QueryForm::kTable:
      return makeTable(env, batch.table);
    case QueryForm::kTexts:
      return makeRowTexts(env, batch.texts);
  }
  return env.Null();
}

}  // namespace

Napi::Function QueryHandle::define(Napi::Env env) {
  return DefineClass(
      env, "NativeQueryReader",
      {InstanceMethod<&QueryHandle::next>("next"), InstanceMethod<&QueryHandle::stats>("stats"),
       InstanceMethod<&QueryHandle::close>("close")});
}

QueryHandle::QueryHandle(const Napi::CallbackInfo& info) : Napi::ObjectWrap<QueryHandle>(info) {}

void QueryHandle::begin(std::shared_ptr<Session> session, std::unique_ptr<QueryReader> reader,
                        QueryForm form) {
  session_ = std::move(session);
  work_ = std::make_shared<Work>();
  work_->reader = std::move(reader);
  work_->form = form;
}

void QueryHandle::Work::release() {
  batch.reset();  // To assign an empty one would leave its strings their memory.
  reader->release();
}

void QueryHandle::Work::settle(Napi::Env env, const Answer& answer, const Status& status) {
  if (!status.ok()) {
    answer.reject(env, status);
  } else {
    answer.resolve(env, batch->isEnd ? env.Null() : makeBatch(env, form, *batch));
  }
  if (isClosed) release();
}

// next(): Promise<NativeColumnBatch | NativeTable | NativeRowTexts | null>.
Napi::Value QueryHandle::next(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!work_ || work_->isClosed || session_->isClosed) return rejected(env, closedStatus());
  return nextOf(env, *session_, work_);
}

// stats(): NativeQueryStats. Not while next() runs, which writes them.
Napi::Value QueryHandle::stats(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!work_) return raise(env, closedStatus());
  if (work_->isBusy) return raise(env, Status::invalid("next() is running"));
  return makeStats(env, work_->reader->stats());
}

// close(): void. Idempotent; a running next() ends early.
Napi::Value QueryHandle::close(const Napi::CallbackInfo& info) {
  if (work_) {
    work_->reader->cancel();
    work_->isClosed = true;
    if (!work_->isBusy) work_->release();
  }
  return info.Env().Undefined();
}

}  // namespace seriesdb
