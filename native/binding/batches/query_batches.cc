#include "binding/batches/query_batches.h"

#include <cstring>

#include "binding/columns.h"

namespace seriesdb {
namespace {

// Enough for the text before and after the rows of most answers.
constexpr std::size_t kTextRoom = 1024;

Napi::Object makeRowTexts(Napi::Env env, const RowTexts& texts) {
  const std::size_t size = texts.text.size();
  auto buffer = Napi::ArrayBuffer::New(env, size + 2 * kTextRoom);
  if (buffer.IsEmpty()) return {};
  std::memcpy(static_cast<std::uint8_t*>(buffer.Data()) + kTextRoom, texts.text.data(), size);
  auto object = Napi::Object::New(env);
  object.Set("text", Napi::Uint8Array::New(env, size, buffer, kTextRoom));
  object.Set("room", static_cast<double>(kTextRoom));
  object.Set("rowCount", static_cast<double>(texts.rowCount));
  object.Set("leftOutCount", static_cast<double>(texts.leftOutCount));
  object.Set("isLast", texts.isLast);
  return object;
}

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

}  // namespace

Napi::Value QueryBatches::pack(Napi::Env env) {
  if (batch_->isEnd) return env.Null();
  switch (form_) {
    case QueryForm::kColumns:
      return makeColumns(env, batch_->columns);
    case QueryForm::kTable:
      return makeTable(env, batch_->table);
    case QueryForm::kTexts:
      return makeRowTexts(env, batch_->texts);
  }
  return env.Null();
}

}  // namespace seriesdb
