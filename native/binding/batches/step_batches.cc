#include "binding/batches/step_batches.h"

#include <cstring>
#include <utility>

#include "binding/columns.h"

namespace seriesdb {
namespace {

// Makes NativePackedTexts.
Napi::Value packTexts(Napi::Env env, const std::vector<std::string_view>& texts) {
  std::string bytes;
  std::vector<std::uint32_t> ends;
  ends.reserve(texts.size());
  for (const std::string_view text : texts) {
    bytes.append(text);
    ends.push_back(static_cast<std::uint32_t>(bytes.size()));
  }
  auto object = Napi::Object::New(env);
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  object.Set("bytes", makeBytes(env, {data, bytes.size()}));
  object.Set("ends", makeNumbers(env, ends));
  return object;
}

Napi::Value packLabels(Napi::Env env, const LabelTable& labels) {
  const std::size_t count = labels.columns.size();
  auto keys = Napi::Array::New(env, count);
  auto texts = Napi::Array::New(env, count);
  auto codes = Napi::Array::New(env, count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const LabelColumn& column = labels.columns[i];
    keys.Set(i, Napi::String::New(env, column.key));
    texts.Set(i, packTexts(env, column.texts));
    codes.Set(i, makeNumbers(env, column.codes));
  }
  auto object = Napi::Object::New(env);
  object.Set("keys", keys);
  object.Set("texts", texts);
  object.Set("codes", codes);
  return object;
}

}  // namespace

Napi::Value StepBatches::pack(Napi::Env env) {
  if (isEnd_) return env.Null();
  const bool isOfSamples = table_.isOfSamples;
  auto object = Napi::Object::New(env);
  object.Set("rowCount", static_cast<double>(table_.rowCount));
  object.Set("rowsScanned", static_cast<double>(stats().rowsScanned));
  object.Set("labels", table_.labels ? packLabels(env, *table_.labels) : env.Null());
  object.Set("values", giveColumn<Napi::Float64Array>(env, std::move(table_.values)));
  object.Set("present", table_.present.empty()
                            ? env.Null()
                            : giveColumn<Napi::Uint8Array>(env, std::move(table_.present)));
  object.Set("ends", isOfSamples ? makeNumbers(env, table_.ends) : env.Null());
  object.Set("times", isOfSamples ? makeDoubles(env, table_.times) : env.Null());
  return object;
}

Napi::Value StepBatches::print(Napi::Env env, const TablePrintForm& form,
                               std::span<std::uint8_t> room) {
  std::string text;
  if (!printShort(table_, form, text)) return env.Null();
  return writeShort(env, shortFigures(table_.rowCount, stats()), text, room);
}

void StepBatches::release(Napi::Env env) {
  table_ = {};
  reader_->release();
  lent_.free(env);
}

}  // namespace seriesdb
