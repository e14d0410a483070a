// Typed readers of JavaScript arguments. They check only what memory safety requires; TypeScript
// checks the meaning.
#pragma once

#include <napi.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bucket/store/object_store.h"
#include "common/base/bytes.h"
#include "common/base/status.h"
#include "format/annotation/annotation_filter.h"
#include "query/answers/compare.h"
#include "shipping/bucket_options.h"
#include "storage/engine/engine.h"
#include "storage/state/engine_options.h"
#include "storage/write/write_values.h"

namespace seriesdb {

// The bytes of a Uint8Array (or other view), lent for the call. A detached one reads as empty.
Result<Bytes> readBytes(const Napi::Value& value);
// The same, but writable. kInvalidArgument if it has fewer than `least` bytes.
Result<std::span<std::uint8_t>> readRoom(const Napi::Value& value, std::size_t least = 0);

// kInvalidArgument: says what the argument or property `name` must be.
Status wrongArgument(std::string_view name, std::string_view expected);

// REQUIRES: it is a string.
std::string textOf(const Napi::Value& string);

// Properties of an options object. A missing or mistyped one is kInvalidArgument naming it.
Result<std::string> readText(const Napi::Object& object, const char* key);
// Appends the strings of the array at `key` to `texts`.
Status appendTexts(const Napi::Object& object, const char* key, std::vector<std::string>& texts);
// A string without a zero byte.
Result<std::string> readPath(const Napi::Object& object, const char* key);
Result<double> readNumber(const Napi::Object& object, const char* key);
Result<bool> readBoolean(const Napi::Object& object, const char* key);
Status readFlag(const Napi::Object& object, const char* key, bool& flag);

// The store that the property names by its number; kClosed if there is none any more.
Result<std::shared_ptr<ObjectStore>> readStore(const Napi::Object& object, const char* key);

// Reads a count; Infinity sets the maximum.
Status readCount(const Napi::Object& object, const char* key, std::uint64_t& count);
// The same for a number; the error names `name`.
Status toCount(double number, const char* name, std::uint64_t& count);
// Reads the pairs of the BigInt64Array `ranges`.
Status readRanges(const Napi::Object& object, std::vector<TimeRange>& ranges);

// Reads a bigint that fits i64.
Result<std::int64_t> readInt64(const Napi::Value& value, const char* name);

// Reads a flat array of key, value, … and sorts the labels.
Result<OwnedLabels> readLabels(const Napi::Value& labels);
// The same for the property `key`; empty if it is undefined.
Result<OwnedLabels> readLabelsAt(const Napi::Object& object, const char* key);

// The ids of a BigUint64Array, lent for the call. A detached array reads as empty.
Result<std::span<const SeriesId>> readSeriesIds(const Napi::Value& value);

// Reads a NativePast of src/storage/native/report-contract.ts.
Result<PastState> readPastState(const Napi::Value& value);

// Reads the properties `start` and `end`; `end` may be before `start`.
Result<TimeRange> readRange(const Napi::Object& object);

// Read NativeEngineLimits and NativeEngineOptions of src/storage/native/contract.ts.
Result<EngineLimits> readEngineLimits(const Napi::Value& value);
Result<EngineOptions> readEngineOptions(const Napi::Value& value);
// Reads NativeBucketOptions of src/storage/native/bucket-contract.ts. Empty for null. kClosed if
// the client of the store has ended.
Result<std::optional<BucketOptions>> readBucketOptions(const Napi::Value& value);
Result<Selector> readSelector(const Napi::Value& value);
Result<Comparison> readComparison(const Napi::Value& value);
// The result has no id.
Result<Annotation> readAnnotation(const Napi::Value& value);
Result<Removal> readRemoval(const Napi::Value& value);
Result<AnnotationFilter> readAnnotationFilter(const Napi::Value& value);

}  // namespace seriesdb
