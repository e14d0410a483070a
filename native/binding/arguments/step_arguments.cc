#include "binding/arguments/step_arguments.h"

#include <cmath>
#include <string>
#include <utility>

#include "binding/arguments/arguments.h"
#include "binding/arguments/discovery_request.h"
#include "binding/names.h"

namespace seriesdb {
namespace {

template <typename T>
constexpr napi_typedarray_type kArrayOf = napi_uint8_array;
template <>
constexpr napi_typedarray_type kArrayOf<double> = napi_float64_array;
template <>
constexpr napi_typedarray_type kArrayOf<std::uint32_t> = napi_uint32_array;

// The elements of a typed array, lent.
template <typename T>
Status readArray(const Napi::Value& value, const char* name, std::span<const T>& elements) {
  if (!value.IsTypedArray() ||
      value.As<Napi::TypedArray>().TypedArrayType() != kArrayOf<T>) {
    return wrongArgument(name, "a typed array of its kind");
  }
  const auto bytes = readBytes(value);
  if (!bytes.ok()) return bytes.status();
  // A typed array is aligned to its elements.
  const auto* data = reinterpret_cast<const T*>(bytes.value().data());
  elements = {data, bytes.value().size() / sizeof(T)};
  return Status::okStatus();
}

// The same, kept.
template <typename T>
Status readLent(const Napi::Object& object, const char* key, LentArrays& lent,
                std::span<const T>& elements) {
  const Napi::Value value = object.Get(key);
  Status read = readArray(value, key, elements);
  if (read.ok()) lent.keep(value);
  return read;
}

// Nothing where it is null.
template <typename T>
Status readOptional(const Napi::Object& object, const char* key, LentArrays& lent,
                    std::span<const T>& elements) {
  return object.Get(key).IsNull() ? Status::okStatus() : readLent(object, key, lent, elements);
}

// Whole milliseconds.
Status readTime(const Napi::Object& object, const char* key, std::int64_t& ms) {
  const auto number = readNumber(object, key);
  if (!number.ok()) return number.status();
  constexpr double kExact = 9007199254740992.0;
  if (!(std::fabs(number.value()) <= kExact) || std::trunc(number.value()) != number.value()) {
    return wrongArgument(key, "a whole number of milliseconds");
  }
  ms = static_cast<std::int64_t>(number.value());
  return Status::okStatus();
}

Status readSize(const Napi::Object& object, const char* key, std::size_t& size) {
  std::uint64_t count = 0;
  Status read = readCount(object, key, count);
  size = count;
  return read;
}

Status readGrid(const Napi::Object& object, StepGrid& grid) {
  Status read = readTime(object, "start", grid.start);
  if (read.ok()) read = readTime(object, "step", grid.step);
  return read.ok() ? readSize(object, "count", grid.count) : read;
}

Status readRows(const Napi::Object& object, LentArrays& lent, StepRows& rows) {
  Status read = readSize(object, "rowCount", rows.rowCount);
  if (read.ok()) read = readGrid(object, rows.grid);
  if (read.ok()) read = readLent(object, "values", lent, rows.values);
  return read.ok() ? readOptional(object, "present", lent, rows.present) : read;
}

Status readSource(const Napi::Object& query, LentArrays& lent, StepPlan& plan) {
  const Napi::Value of = query.Get("of");
  if (!of.IsObject()) return wrongArgument("of", "an object");
  const auto object = of.As<Napi::Object>();
  if (object.Has("rowCount")) return readRows(object, lent, plan.of.emplace<StepRows>());
  auto filter = readSeriesFilter(object);
  if (!filter.ok()) return filter.status();
  plan.of = std::move(filter).value();
  return Status::okStatus();
}

Status readParameters(const Napi::Object& query, StepPlan& plan) {
  const auto function = readName<StepFunction>(query, "fn");
  if (!function.ok()) return function.status();
  plan.function = function.value();
  const Napi::Value args = query.Get("args");
  if (!args.IsArray()) return wrongArgument("args", "an array");
  const auto array = args.As<Napi::Array>();
  for (std::uint32_t i = 0; i < array.Length(); ++i) {
    std::span<const double> values;
    Status read = readArray(array.Get(i), "args", values);
    if (!read.ok()) return read;
    plan.arguments.emplace_back(values.begin(), values.end());
  }
  return Status::okStatus();
}

Status readFold(const Napi::Object& query, StepPlan& plan) {
  const Napi::Value value = query.Get("fold");
  if (value.IsNull()) return Status::okStatus();
  if (!value.IsObject()) return wrongArgument("fold", "an object or null");
  const auto object = value.As<Napi::Object>();
  const auto op = readName<StepFold>(object, "op");
  if (!op.ok()) return op.status();
  const auto isBy = readBoolean(object, "isBy");
  if (!isBy.ok()) return isBy.status();
  plan.fold = StepFolding{op.value(), {isBy.value(), {}}};
  return appendTexts(object, "keys", plan.fold->by.keys);
}

Status readKept(const Napi::Object& query, StepPlan& plan) {
  const Napi::Value value = query.Get("kept");
  if (value.IsNull()) return Status::okStatus();
  if (!value.IsObject()) return wrongArgument("kept", "an object or null");
  const auto object = value.As<Napi::Object>();
  const auto op = readName<ExpressionComparison>(object, "op");
  if (!op.ok()) return op.status();
  const Napi::Value than = object.Get("than");
  if (!than.IsNumber()) return wrongArgument("than", "a number");
  plan.kept = StepComparison{op.value(), than.As<Napi::Number>().DoubleValue()};
  return Status::okStatus();
}

Status readColumns(const Napi::Object& labels, LentArrays& lent, StepPrint& print) {
  const Napi::Value keys = labels.Get("keys");
  const Napi::Value texts = labels.Get("texts");
  const Napi::Value codes = labels.Get("codes");
  if (!keys.IsArray() || !texts.IsArray() || !codes.IsArray()) {
    return wrongArgument("labels", "columns");
  }
  for (std::uint32_t i = 0; i < keys.As<Napi::Array>().Length(); ++i) {
    StepPrint::Column& column = print.labels.emplace_back();
    const Napi::Value key = keys.As<Napi::Array>().Get(i);
    const Napi::Value packed = texts.As<Napi::Array>().Get(i);
    if (!key.IsString() || !packed.IsObject()) return wrongArgument("labels", "columns");
    column.key = key.As<Napi::String>().Utf8Value();
    Status read = readLent(packed.As<Napi::Object>(), "bytes", lent, column.texts);
    if (read.ok()) read = readLent(packed.As<Napi::Object>(), "ends", lent, column.ends);
    const Napi::Value ofRows = codes.As<Napi::Array>().Get(i);
    if (read.ok()) read = readArray(ofRows, "codes", column.codes);
    if (!read.ok()) return read;
    lent.keep(ofRows);
  }
  return Status::okStatus();
}

Status readPrinted(const Napi::Object& object, LentArrays& lent, StepPrint& print) {
  Status read = readLent(object, "values", lent, print.values);
  if (read.ok()) read = readOptional(object, "present", lent, print.present);
  print.isOfSamples = !object.Get("ends").IsNull();
  if (read.ok()) read = readOptional(object, "ends", lent, print.ends);
  if (read.ok()) read = readOptional(object, "times", lent, print.times);
  if (read.ok()) read = readLent(object, "order", lent, print.order);
  const auto isInstant = readBoolean(object, "isInstant");
  if (!isInstant.ok()) return isInstant.status();
  print.isInstant = isInstant.value();
  return read;
}

}  // namespace

Result<StepLimits> readStepLimits(const Napi::Value& value) {
  if (!value.IsObject()) return wrongArgument("limits", "an object");
  const auto object = value.As<Napi::Object>();
  StepLimits limits;
  std::uint64_t timeoutMs = 0;
  Status read = readCount(object, "series", limits.seriesMax);
  if (read.ok()) read = readCount(object, "samples", limits.read.samplesMax);
  if (read.ok()) read = readCount(object, "samplesBefore", limits.read.samplesBefore);
  if (read.ok()) read = readCount(object, "cells", limits.cellsMax);
  if (read.ok()) read = readCount(object, "cellsBefore", limits.cellsBefore);
  if (read.ok()) read = readCount(object, "timeoutMs", timeoutMs);
  if (!read.ok()) return read;
  limits.read.setTimeout(timeoutMs);
  return limits;
}

Result<StepPlan> readStepQuery(const Napi::Object& query, const StepLimits& limits,
                               LentArrays& lent) {
  StepPlan plan;
  plan.limits = limits;
  Status read = readSource(query, lent, plan);
  if (read.ok()) read = readGrid(query, plan.grid);
  if (read.ok()) read = readTime(query, "window", plan.window);
  if (read.ok()) read = readTime(query, "offset", plan.offset);
  if (read.ok()) read = readParameters(query, plan);
  if (read.ok()) read = readFold(query, plan);
  if (read.ok()) read = readKept(query, plan);
  if (!read.ok()) return read;
  return plan;
}

Result<TablePrintForm> readStepAnswer(const Napi::Object& answer, const StepGrid& grid) {
  const auto isInstant = readBoolean(answer, "isInstant");
  if (!isInstant.ok()) return isInstant.status();
  TablePrintForm form{grid, isInstant.value(), {}};
  const Status read = appendTexts(answer, "hidden", form.hidden);
  if (!read.ok()) return read;
  if (form.isInstant && grid.count > 1) return Status::invalid("an instant is one step");
  return form;
}

Result<StepPrint> readStepPrint(const Napi::Value& value, LentArrays& lent) {
  if (!value.IsObject()) return Status::invalid("expected rows to print");
  const auto object = value.As<Napi::Object>();
  StepPrint print;
  Status read = readSize(object, "rowCount", print.rowCount);
  if (read.ok()) read = readGrid(object, print.grid);
  const Napi::Value labels = object.Get("labels");
  if (read.ok() && !labels.IsObject()) read = wrongArgument("labels", "an object");
  if (read.ok()) read = readColumns(labels.As<Napi::Object>(), lent, print);
  if (read.ok()) read = readPrinted(object, lent, print);
  if (read.ok()) read = print.check();
  if (!read.ok()) return read;
  return print;
}

}  // namespace seriesdb
