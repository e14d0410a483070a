#include "binding/arguments/expression_arguments.h"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "binding/arguments/arguments.h"

namespace seriesdb {
namespace {

constexpr std::size_t kStepWords = 4;

// Copies the items of a typed array of this kind.
template <typename T>
Status readItems(const Napi::Object& object, const char* key, napi_typedarray_type type,
                 std::vector<T>& items) {
  const Napi::Value value = object.Get(key);
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != type) {
    return Status::invalid(std::string(key) + " has the wrong typed array type");
  }
  const auto bytes = readBytes(value);
  if (!bytes.ok()) return bytes.status();
  items.resize(bytes.value().size() / sizeof(T));
  if (!items.empty()) std::memcpy(items.data(), bytes.value().data(), items.size() * sizeof(T));
  return Status::okStatus();
}

Status readSteps(const Napi::Object& object, ExpressionText& text) {
  std::vector<std::uint32_t> words;
  const Status read = readItems(object, "steps", napi_uint32_array, words);
  if (!read.ok()) return read;
  if (words.size() % kStepWords != 0 || words.size() / kStepWords > Expression::kStepsMax) {
    return Status::invalid("an expression has the wrong number of step words");
  }
  for (std::size_t at = 0; at < words.size(); at += kStepWords) {
    if (words[at] >= kExpressionOps) return Status::invalid("an expression has an unknown step");
    text.steps.push_back(
        {static_cast<ExpressionOp>(words[at]), words[at + 1], words[at + 2], words[at + 3]});
  }
  return read;
}

Status readColumn(const Napi::Object& object, SeriesColumn& column) {
  const Napi::Value values = object.Get("values");
  if (!values.IsTypedArray()) return Status::invalid("values must be a typed array");
  switch (values.As<Napi::TypedArray>().TypedArrayType()) {
    case napi_bigint64_array: {
      column.type = RegisterType::kInteger;
      const Status read = readItems(object, "values", napi_bigint64_array, column.integers);
      return read.ok() ? readItems(object, "nulls", napi_uint8_array, column.nulls) : read;
    }
    case napi_float64_array:
      column.type = RegisterType::kFloat;
      return readItems(object, "values", napi_float64_array, column.floats);
    case napi_uint8_array:
      column.type = RegisterType::kBoolean;
      return readItems(object, "values", napi_uint8_array, column.booleans);
    default:
      return Status::invalid("values must be integers, floats or booleans");
  }
}

Status readColumns(const Napi::Object& object, ExpressionText& text) {
  const Napi::Value value = object.Get("columns");
  if (!value.IsArray()) return Status::invalid("columns must be an array");
  const auto array = value.As<Napi::Array>();
  for (std::uint32_t i = 0; i < array.Length(); ++i) {
    const Napi::Value item = array.Get(i);
    if (!item.IsObject()) return Status::invalid("columns must hold objects");
    const Status read = readColumn(item.As<Napi::Object>(), text.columns.emplace_back());
    if (!read.ok()) return read;
  }
  return Status::okStatus();
}

}  // namespace

Result<Expression> readExpression(const Napi::Value& value, std::size_t seriesCount) {
  if (value.IsNull()) return Expression();
  if (!value.IsObject()) return Status::invalid("an expression must be an object or null");
  const auto object = value.As<Napi::Object>();
  ExpressionText text;
  Status status = readSteps(object, text);
  if (status.ok()) status = readItems(object, "integers", napi_bigint64_array, text.integers);
  if (status.ok()) status = readItems(object, "floats", napi_float64_array, text.floats);
  if (status.ok()) status = readItems(object, "outputs", napi_uint32_array, text.outputs);
  if (status.ok()) status = readColumns(object, text);
  if (!status.ok()) return status;
  return Expression::make(std::move(text), seriesCount);
}

Status readKeyTexts(const Napi::Value& value, std::vector<std::string>& texts, bool& isText) {
  isText = !value.IsNull();
  if (!isText) return Status::okStatus();
  if (!value.IsObject()) return Status::invalid("texts must be an object or null");
  const auto object = value.As<Napi::Object>();
  std::vector<std::uint32_t> ends;
  const Status read = readItems(object, "ends", napi_uint32_array, ends);
  if (!read.ok()) return read;
  const auto bytes = readBytes(object.Get("bytes"));
  if (!bytes.ok()) return bytes.status();
  std::uint32_t begin = 0;
  for (const std::uint32_t end : ends) {
    if (end < begin || end > bytes.value().size()) {
      return Status::invalid("the ends of texts must ascend");
    }
    texts.emplace_back(reinterpret_cast<const char*>(bytes.value().data()) + begin, end - begin);
    begin = end;
  }
  return read;
}

Result<KeyValues> readKeyColumn(const Napi::Object& object, std::size_t seriesCount) {
  KeyValues key;
  Status status = readColumn(object, key.values);
  if (status.ok()) status = readKeyTexts(object.Get("texts"), key.texts, key.isText);
  if (!status.ok()) return status;
  if (!key.values.isSized(seriesCount)) {
    return Status::invalid("a key needs one value for each series");
  }
  if (key.isText && key.values.type != RegisterType::kInteger) {
    return Status::invalid("only integers index the texts of a key");
  }
  for (std::size_t i = 0; key.isText && i < seriesCount; ++i) {
    const auto place = static_cast<std::uint64_t>(key.values.integers[i]);
    if (key.values.nulls[i] == 0 && place >= key.texts.size()) {
      return Status::invalid("a key has a text index out of range");
    }
  }
  return key;
}

}  // namespace seriesdb
