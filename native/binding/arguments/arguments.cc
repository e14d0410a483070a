#include "binding/arguments/arguments.h"

#include <algorithm>
#include <array>

#include "binding/arguments/discovery_request.h"
#include "binding/names.h"
#include "bucket/store/queued_store.h"

namespace seriesdb {
namespace {

// Reads a string or null.
Status readOptionalText(const Napi::Object& object, const char* key,
                        std::optional<std::string>& text) {
  const Napi::Value value = object.Get(key);
  if (value.IsNull()) return {};
  if (!value.IsString()) return wrongArgument(key, "a string or null");
  text = textOf(value);
  return {};
}

}  // namespace

Status wrongArgument(std::string_view name, std::string_view expected) {
  return Status::invalid(std::string(name) + " must be " + std::string(expected));
}

Result<OwnedLabels> readLabels(const Napi::Value& labels) {
  if (!labels.IsArray()) return wrongArgument("labels", "an array or null");
  const auto flat = labels.As<Napi::Array>();
  if (flat.Length() % 2 != 0) return wrongArgument("labels", "pairs of key and value");
  OwnedLabels pairs;
  for (std::uint32_t i = 0; i < flat.Length(); i += 2) {
    const Napi::Value key = flat.Get(i);
    const Napi::Value text = flat.Get(i + 1);
    if (!key.IsString() || !text.IsString()) return wrongArgument("labels", "strings");
    pairs.emplace_back(textOf(key), textOf(text));
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

Result<OwnedLabels> readLabelsAt(const Napi::Object& object, const char* key) {
  const Napi::Value labels = object.Get(key);
  if (labels.IsUndefined()) return OwnedLabels{};
  return readLabels(labels);
}

Result<Bytes> readBytes(const Napi::Value& value) {
  const auto room = readRoom(value);
  if (!room.ok()) return room.status();
  return Bytes(room.value());
}

Result<std::span<std::uint8_t>> readRoom(const Napi::Value& value, std::size_t least) {
  using Room = std::span<std::uint8_t>;
  if (!value.IsTypedArray()) return Status::invalid("expected a Uint8Array");
  const auto array = value.As<Napi::TypedArray>();
  void* data = nullptr;  // The start of the array, not of its buffer.
  napi_value buffer = nullptr;
  const napi_status told = napi_get_typedarray_info(array.Env(), array, nullptr, nullptr, &data,
                                                    &buffer, nullptr);
  if (told != napi_ok) return Status::invalid("expected a Uint8Array");
  if (!Napi::Value(array.Env(), buffer).IsArrayBuffer()) {
    return Status::invalid("the bytes must not be shared memory");
  }
  const std::size_t size = data == nullptr ? 0 : array.ByteLength();
  if (size < least) return Status::invalid("expected more room");
  if (size == 0) return Room{};
  return Room{static_cast<std::uint8_t*>(data), size};
}

std::string textOf(const Napi::Value& string) {
  // Complete if one more character fits. Asking for the length first would take as long.
  std::array<char, 256> few;
  constexpr std::size_t kCharacterSizeMax = 4;
  std::size_t size = 0;
  const napi_status read =
      napi_get_value_string_utf8(string.Env(), string, few.data(), few.size(), &size);
  if (read == napi_ok && size + kCharacterSizeMax < few.size()) return {few.data(), size};
  return string.As<Napi::String>().Utf8Value();
}

Result<std::string> readText(const Napi::Object& object, const char* key) {
  const Napi::Value value = object.Get(key);
  if (!value.IsString()) return wrongArgument(key, "a string");
  return textOf(value);
}

Status appendTexts(const Napi::Object& object, const char* key, std::vector<std::string>& texts) {
  const Napi::Value value = object.Get(key);
  if (!value.IsArray()) return wrongArgument(key, "an array of strings");
  const auto array = value.As<Napi::Array>();
  for (std::uint32_t i = 0; i < array.Length(); ++i) {
    const Napi::Value text = array.Get(i);
    if (!text.IsString()) return wrongArgument(key, "an array of strings");
    texts.push_back(textOf(text));
  }
  return Status::okStatus();
}

Result<std::string> readPath(const Napi::Object& object, const char* key) {
  auto path = readText(object, key);
  if (!path.ok() || path.value().find('\0') == std::string::npos) return path;
  return wrongArgument(key, "a path, which has no zero byte");
}

Result<std::shared_ptr<ObjectStore>> readStore(const Napi::Object& object, const char* key) {
  std::uint64_t number = 0;
  if (Status read = readCount(object, key, number); !read.ok()) return read;
  // No process has so many stores.
  constexpr std::uint64_t kNumberMax = 0xffffffff;
  std::shared_ptr<ObjectStore> store =
      sharedStore(static_cast<std::uint32_t>(std::min(number, kNumberMax)));
  if (!store) return Status(StatusCode::kClosed, "the client of the store has ended");
  return store;
}

Result<double> readNumber(const Napi::Object& object, const char* key) {
  const Napi::Value value = object.Get(key);
  if (!value.IsNumber()) return wrongArgument(key, "a number");
  return value.As<Napi::Number>().DoubleValue();
}

Result<bool> readBoolean(const Napi::Object& object, const char* key) {
  const Napi::Value value = object.Get(key);
  if (!value.IsBoolean()) return wrongArgument(key, "a boolean");
  return value.As<Napi::Boolean>().Value();
}

Status readFlag(const Napi::Object& object, const char* key, bool& flag) {
  const auto read = readBoolean(object, key);
  if (read.ok()) flag = read.value();
  return read.ok() ? Status::okStatus() : read.status();
}

Result<std::int64_t> readInt64(const Napi::Value& value, const char* name) {
  if (!value.IsBigInt()) return wrongArgument(name, "a bigint");
  bool isLossless = false;
  const std::int64_t number = value.As<Napi::BigInt>().Int64Value(&isLossless);
  if (!isLossless) return wrongArgument(name, "a 64-bit signed integer");
  return number;
}

Status readCount(const Napi::Object& object, const char* key, std::uint64_t& count) {
  const auto number = readNumber(object, key);
  return number.ok() ? toCount(number.value(), key, count) : number.status();
}

Status toCount(double number, const char* name, std::uint64_t& count) {
  if (!(number >= 0)) return Status::invalid(std::string(name) + " must not be below 0");
  constexpr double kExact = 9007199254740992.0;
  count = number >= kExact ? UINT64_MAX : static_cast<std::uint64_t>(number);
  return Status::okStatus();
}

Status readRanges(const Napi::Object& object, std::vector<TimeRange>& ranges) {
  const Napi::Value value = object.Get("ranges");
  if (!value.IsTypedArray() ||
      value.As<Napi::TypedArray>().TypedArrayType() != napi_bigint64_array) {
    return Status::invalid("ranges must be a BigInt64Array");
  }
  const auto bytes = readBytes(value);
  if (!bytes.ok()) return bytes.status();
  constexpr std::size_t kRangeSize = 2 * sizeof(Timestamp);
  if (bytes.value().size() % kRangeSize != 0) {
    return Status::invalid("ranges must hold pairs of start and end");
  }
  for (std::size_t at = 0; at < bytes.value().size(); at += kRangeSize) {
    const std::uint8_t* from = bytes.value().data() + at;
    ranges.push_back({loadLe<Timestamp>(from), loadLe<Timestamp>(from + sizeof(Timestamp))});
  }
  return Status::okStatus();
}

Result<std::span<const SeriesId>> readSeriesIds(const Napi::Value& value) {
  if (!value.IsTypedArray() ||
      value.As<Napi::TypedArray>().TypedArrayType() != napi_biguint64_array) {
    return Status::invalid("expected a BigUint64Array of series ids");
  }
  const auto bytes = readBytes(value);
  if (!bytes.ok()) return bytes.status();
  // A typed array is aligned to its elements.
  const auto* ids = reinterpret_cast<const SeriesId*>(bytes.value().data());
  return std::span<const SeriesId>(ids, bytes.value().size() / sizeof(SeriesId));
}

Result<TimeRange> readRange(const Napi::Object& object) {
  const auto start = readInt64(object.Get("start"), "start");
  if (!start.ok()) return start.status();
  const auto end = readInt64(object.Get("end"), "end");
  if (!end.ok()) return end.status();
  return TimeRange{start.value(), end.value()};
}

Result<PastState> readPastState(const Napi::Value& value) {
  if (!value.IsObject()) return wrongArgument("past", "an object");
  const auto object = value.As<Napi::Object>();
  PastState past;
  if (!object.Get("snapshot").IsNull()) {
    auto snapshot = readText(object, "snapshot");
    if (!snapshot.ok()) return snapshot.status();
    past.snapshot = std::move(snapshot).value();
  }
  if (const Napi::Value edit = object.Get("edit"); !edit.IsNull()) {
    const auto read = readInt64(edit, "edit");
    if (!read.ok()) return read.status();
    past.edit = static_cast<std::uint64_t>(read.value());
  }
  if (const Napi::Value timeMs = object.Get("timeMs"); !timeMs.IsNull()) {
    const auto read = readInt64(timeMs, "timeMs");
    if (!read.ok()) return read.status();
    past.timeMs = read.value();
  }
  if (!past.isAny()) return wrongArgument("past", "a state");
  return past;
}

Result<Selector> readSelector(const Napi::Value& value) {
  if (!value.IsObject()) return Status::invalid("expected a selector object");
  const auto object = value.As<Napi::Object>();
  Selector selector;
  auto required = readLabelsAt(object, "required");
  if (!required.ok()) return required.status();
  selector.required = std::move(required).value();
  if (const Napi::Value id = object.Get("seriesId"); id.IsBigInt()) {
    bool isLossless = false;
    selector.id = id.As<Napi::BigInt>().Uint64Value(&isLossless);
    if (!isLossless) return wrongArgument("seriesId", "a 64-bit unsigned integer");
    return selector;
  }
  auto name = readText(object, "name");
  if (!name.ok()) return name.status();
  selector.name = name.value();
  const Napi::Value labels = object.Get("labels");
  if (labels.IsNull()) return selector;
  auto pairs = readLabels(labels);
  if (!pairs.ok()) return pairs.status();
  selector.labels = std::move(pairs).value();
  return selector;
}

Result<Comparison> readComparison(const Napi::Value& value) {
  if (!value.IsObject()) return Status::invalid("expected a comparison object");
  const auto object = value.As<Napi::Object>();
  Comparison comparison;
  auto selector = readSelector(object.Get("selector"));
  if (!selector.ok()) return selector.status();
  comparison.selector = std::move(selector).value();
  const auto aggregateText = readText(object, "aggregate");
  if (!aggregateText.ok()) return aggregateText.status();
  const auto aggregate = aggregateFromName(aggregateText.value());
  if (!aggregate) return wrongArgument("aggregate", "one of the seven aggregates");
  comparison.aggregate = *aggregate;
  const std::pair<const char*, Timestamp*> ends[] = {
      {"start", &comparison.current.start},
      {"end", &comparison.current.end},
      {"baselineStart", &comparison.baseline.start},
      {"baselineEnd", &comparison.baseline.end},
  };
  for (const auto& [key, end] : ends) {
    const auto ts = readInt64(object.Get(key), key);
    if (!ts.ok()) return ts.status();
    *end = ts.value();
  }
  const auto isOrdered = [](TimeRange range) { return range.start <= range.end; };
  if (!isOrdered(comparison.current) || !isOrdered(comparison.baseline)) {
    return Status::invalid("a window must not end before it starts");
  }
  return comparison;
}

Result<Annotation> readAnnotation(const Napi::Value& value) {
  if (!value.IsObject()) return Status::invalid("expected an annotation object");
  const auto object = value.As<Napi::Object>();
  Annotation annotation;
  const auto range = readRange(object);
  if (!range.ok()) return range.status();
  if (range.value().start > range.value().end) return wrongArgument("end", "at or after start");
  const auto changes = readInt64(object.Get("changes"), "changes");
  if (!changes.ok()) return changes.status();
  if (changes.value() < 0) return wrongArgument("changes", "the id of an annotation, or 0n");
  annotation.changes = static_cast<std::uint64_t>(changes.value());
  annotation.start = range.value().start;
  annotation.end = range.value().end;
  auto kind = readText(object, "kind");
  if (!kind.ok()) return kind.status();
  annotation.kind = std::move(kind).value();
  auto title = readText(object, "title");
  if (!title.ok()) return title.status();
  annotation.title = std::move(title).value();
  Status read = readOptionalText(object, "message", annotation.message);
  if (read.ok()) read = readOptionalText(object, "metric", annotation.metric);
  if (!read.ok()) return read;
  auto labels = readLabels(object.Get("labels"));
  if (!labels.ok()) return labels.status();
  annotation.labels = std::move(labels).value();
  if (annotation.labels.size() > kLabelCountMax) return wrongArgument("labels", "at most 64 pairs");
  return annotation;
}

namespace {

// Reads ids or a filter.
Result<SeriesFilter> readSeriesOfRemoval(const Napi::Value& value) {
  if (!value.IsTypedArray()) return readSeriesFilter(value);
  const auto ids = readSeriesIds(value);
  if (!ids.ok()) return ids.status();
  SeriesFilter filter;
  filter.ids.emplace(ids.value().begin(), ids.value().end());
  return filter;
}

}  // namespace

Result<Removal> readRemoval(const Napi::Value& value) {
  if (!value.IsObject()) return Status::invalid("expected a removal object");
  const auto object = value.As<Napi::Object>();
  Removal removal;
  Status read = readRanges(object, removal.ranges);
  if (read.ok()) read = readCount(object, "seriesMax", removal.seriesMax);
  if (!read.ok()) return read;
  for (const TimeRange range : removal.ranges) {
    if (range.start > range.end) return wrongArgument("ranges", "pairs with start <= end");
  }
  auto series = readSeriesOfRemoval(object.Get("series"));
  if (!series.ok()) return series.status();
  removal.series = std::move(series).value();
  return removal;
}

Result<AnnotationFilter> readAnnotationFilter(const Napi::Value& value) {
  if (!value.IsObject()) return Status::invalid("expected a filter object");
  const auto object = value.As<Napi::Object>();
  AnnotationFilter filter;
  const auto range = readRange(object);
  if (!range.ok()) return range.status();
  filter.range = range.value();
  Status read = readOptionalText(object, "kind", filter.kind);
  if (read.ok()) read = readOptionalText(object, "metric", filter.metric);
  if (!read.ok()) return read;
  auto labels = readLabels(object.Get("labels"));
  if (!labels.ok()) return labels.status();
  filter.labels = std::move(labels).value();
  auto required = readLabelsAt(object, "required");
  if (!required.ok()) return required.status();
  filter.required = std::move(required).value();
  read = readFlag(object, "isAnyLabel", filter.isAnyLabel);
  if (read.ok() && !object.Get("limit").IsNull()) read = readCount(object, "limit", filter.limit);
  if (!read.ok()) return read;
  return filter;
}

}  // namespace seriesdb
