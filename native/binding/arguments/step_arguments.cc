#include "binding/arguments/step_arguments.h"

#include <array>
#include <cmath>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>

#include "binding/arguments/arguments.h"
#include "binding/arguments/discovery_request.h"
#include "binding/names.h"
#include "query/promql/label_table.h"

namespace seriesdb {
namespace {

template <typename T>
constexpr napi_typedarray_type kArrayOf = napi_uint8_array;
template <>
constexpr napi_typedarray_type kArrayOf<double> = napi_float64_array;
template <>
constexpr napi_typedarray_type kArrayOf<std::uint32_t> = napi_uint32_array;

// Reads a typed array; the elements are lent.
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

// The same for a property, which `lent` then keeps alive.
template <typename T>
Status readLent(const Napi::Object& object, const char* key, LentArrays& lent,
                std::span<const T>& elements) {
  const Napi::Value value = object.Get(key);
  Status read = readArray(value, key, elements);
  if (read.ok()) lent.keep(value);
  return read;
}

// The same; empty for null.
template <typename T>
Status readOptional(const Napi::Object& object, const char* key, LentArrays& lent,
                    std::span<const T>& elements) {
  return object.Get(key).IsNull() ? Status::okStatus() : readLent(object, key, lent, elements);
}

// Reads a whole number of milliseconds.
Status toTime(double number, const char* name, std::int64_t& ms) {
  constexpr double kExact = 9007199254740992.0;
  if (!(std::fabs(number) <= kExact) || std::trunc(number) != number) {
    return wrongArgument(name, "a whole number of milliseconds");
  }
  ms = static_cast<std::int64_t>(number);
  return Status::okStatus();
}

Status readTime(const Napi::Object& object, const char* key, std::int64_t& ms) {
  const auto number = readNumber(object, key);
  return number.ok() ? toTime(number.value(), key, ms) : number.status();
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

Status readSource(const Napi::Object& query, LentArrays& lent, StepPlan& plan) {
  const Napi::Value of = query.Get("of");
  if (!of.IsObject()) return wrongArgument("of", "an object");
  if (auto* rows = std::get_if<StepRows>(&plan.of)) {
    const auto object = of.As<Napi::Object>();
    const Status read = readLent(object, "values", lent, rows->values);
    return read.ok() ? readOptional(object, "present", lent, rows->present) : read;
  }
  auto filter = readSeriesFilter(of);
  if (!filter.ok()) return filter.status();
  plan.of = std::move(filter).value();
  return Status::okStatus();
}

Status readParameters(const Napi::Object& query, StepPlan& plan) {
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
    column.key = textOf(key);
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

Status StepFigures::require(std::size_t count) const {
  if (figures_.size() - at_ >= count) return Status::okStatus();
  return Status::invalid("expected more figures");
}

Status StepFigures::time(const char* name, std::int64_t& ms) { return toTime(next(), name, ms); }

Status StepFigures::count(const char* name, std::uint64_t& count) {
  return toCount(next(), name, count);
}

// NaN means none.
template <typename E>
Result<std::optional<E>> StepFigures::name(const char* name) {
  const double place = next();
  if (std::isnan(place)) return std::optional<E>();
  const auto last = static_cast<double>(std::size(kWords<E>) - 1);
  if (!(place >= 0 && place <= last) || std::trunc(place) != place) {
    return wrongArgument(name, "a known word");
  }
  return std::optional<E>(kWords<E>[static_cast<std::size_t>(place)].value);
}

Status StepFigures::grid(StepGrid& grid) {
  std::uint64_t steps = 0;
  Status read = time("start", grid.start);
  if (read.ok()) read = time("step", grid.step);
  if (read.ok()) read = count("count", steps);
  grid.count = steps;
  return read;
}

// NaN means none.
Status StepFigures::rows(StepPlan& plan) {
  const double rowCount = next();
  if (std::isnan(rowCount)) {
    at_ += 3;
    return Status::okStatus();
  }
  auto& rows = plan.of.emplace<StepRows>();
  std::uint64_t count = 0;
  const Status read = toCount(rowCount, "rowCount", count);
  rows.rowCount = count;
  return read.ok() ? grid(rows.grid) : read;
}

Status StepFigures::fold(StepPlan& plan) {
  const auto op = name<StepFold>("fold");
  if (!op.ok()) return op.status();
  const auto isBy = flag("isBy");
  if (!isBy.ok()) return isBy.status();
  if (op.value()) plan.fold = StepFolding{*op.value(), {isBy.value(), {}}};
  return Status::okStatus();
}

Status StepFigures::kept(StepPlan& plan) {
  const auto op = name<ExpressionComparison>("kept");
  if (!op.ok()) return op.status();
  const double than = next();
  if (op.value()) plan.kept = StepComparison{*op.value(), than};
  return Status::okStatus();
}

Result<bool> StepFigures::flag(const char* name) {
  if (const Status there = require(1); !there.ok()) return there;
  const double number = next();
  if (number != 0 && number != 1) return wrongArgument(name, "0 or 1");
  return number == 1;
}

Result<StepLimits> StepFigures::limits() {
  StepLimits limits;
  std::uint64_t timeoutMs = 0;
  Status read = require(kOfLimits);
  if (read.ok()) read = count("series", limits.seriesMax);
  if (read.ok()) read = count("samples", limits.read.samplesMax);
  if (read.ok()) read = count("samplesBefore", limits.read.samplesBefore);
  if (read.ok()) read = count("cells", limits.cellsMax);
  if (read.ok()) read = count("cellsBefore", limits.cellsBefore);
  if (read.ok()) read = count("timeoutMs", timeoutMs);
  if (!read.ok()) return read;
  limits.read.setTimeout(timeoutMs);
  return limits;
}

Status StepFigures::query(StepPlan& plan) {
  Status read = require(kOfQuery);
  if (read.ok()) read = grid(plan.grid);
  if (read.ok()) read = time("window", plan.window);
  if (read.ok()) read = time("offset", plan.offset);
  if (!read.ok()) return read;
  const auto function = name<StepFunction>("fn");
  if (!function.ok()) return function.status();
  if (!function.value()) return wrongArgument("fn", "a function");
  plan.function = *function.value();
  read = fold(plan);
  if (read.ok()) read = kept(plan);
  return read.ok() ? rows(plan) : read;
}

Result<StepFigures> readStepFigures(const Napi::Value& value) {
  std::span<const double> figures;
  const Status read = readArray(value, "figures", figures);
  if (!read.ok()) return read;
  return StepFigures(figures);
}

StepFigures figuresAt(std::span<const std::uint8_t> room) {
  std::array<double, StepFigures::kOfAnswer> figures;
  std::memcpy(figures.data(), room.data(), sizeof figures);
  return StepFigures(figures);
}

Result<StepPlan> readStepQuery(const Napi::Object& query, const StepLimits& limits,
                               StepFigures& figures, LentArrays& lent) {
  StepPlan plan;
  plan.limits = limits;
  Status read = figures.query(plan);
  if (read.ok()) read = readSource(query, lent, plan);
  if (read.ok()) read = readParameters(query, plan);
  if (read.ok() && plan.fold) read = appendTexts(query, "keys", plan.fold->by.keys);
  if (!read.ok()) return read;
  return plan;
}

Result<TablePrintForm> readStepForm(const StepGrid& grid, StepFigures& figures) {
  const auto isInstant = figures.flag("isInstant");
  if (!isInstant.ok()) return isInstant.status();
  const auto hidesMetadata = figures.flag("hidesMetadata");
  if (!hidesMetadata.ok()) return hidesMetadata.status();
  if (isInstant.value() && grid.count > 1) return Status::invalid("an instant query has one step");
  TablePrintForm form{grid, isInstant.value(), {}};
  if (hidesMetadata.value()) form.hidden = kMetadataLabels;
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
