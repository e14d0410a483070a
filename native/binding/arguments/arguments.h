// Typed readers of JavaScript arguments. They check what memory safety needs; meaning is checked in
// TypeScript.
#pragma once

#include <napi.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "query/answers/compare.h"
#include "storage/engine/engine.h"
#include "storage/state/engine_options.h"

namespace seriesdb {

// The bytes of a Uint8Array (or other view), lent for the call. A detached one reads as empty.
Result<Bytes> readBytes(const Napi::Value& value);
// The same, to be filled. kInvalidArgument where it has less than so many bytes.
Result<std::span<std::uint8_t>> readRoom(const Napi::Value& value, std::size_t least = 0);

// kInvalidArgument: what was expected of the argument or property of that name.
Status wrongArgument(std::string_view name, std::string_view expected);

// REQUIRES: it is a string.
std::string textOf(const Napi::Value& string);

// Properties of an options object. A missing or mistyped one is kInvalidArgument naming it.
Result<std::string> readText(const Napi::Object& object, const char* key);
// Puts the texts of that array behind those that are there.
Status appendTexts(const Napi::Object& object, const char* key, std::vector<std::string>& texts);
// A text without a zero byte.
Result<std::string> readPath(const Napi::Object& object, const char* key);
Result<double> readNumber(const Napi::Object& object, const char* key);
Result<bool> readBoolean(const Napi::Object& object, const char* key);
Status readFlag(const Napi::Object& object, const char* key, bool& flag);

// A count; Infinity is all.
Status readCount(const Napi::Object& object, const char* key, std::uint64_t& count);
// The same; `name` is told where it is none.
Status toCount(double number, const char* name, std::uint64_t& count);
// The pairs of the BigInt64Array `ranges`.
Status readRanges(const Napi::Object& object, std::vector<TimeRange>& ranges);

// A bigint that fits i64.
Result<std::int64_t> readInt64(const Napi::Value& value, const char* name);

// A flat array of key, value, …; sorted here.
Result<OwnedLabels> readLabels(const Napi::Value& labels);
// The same at `key`; none where it is absent.
Result<OwnedLabels> readLabelsAt(const Napi::Object& object, const char* key);

// The ids of a BigUint64Array, lent for the call. A detached one reads as empty.
Result<std::span<const SeriesId>> readSeriesIds(const Napi::Value& value);

// NativePast of src/storage/native/report-contract.ts.
Result<PastState> readPastState(const Napi::Value& value);

// Of the properties `start` and `end`, in whatever order of time.
Result<TimeRange> readRange(const Napi::Object& object);

// NativeEngineLimits and NativeEngineOptions of src/storage/native/contract.ts.
Result<EngineLimits> readEngineLimits(const Napi::Value& value);
Result<EngineOptions> readEngineOptions(const Napi::Value& value);
Result<Selector> readSelector(const Napi::Value& value);
Result<Comparison> readComparison(const Napi::Value& value);
// Without an id.
Result<Annotation> readAnnotation(const Napi::Value& value);
Result<Removal> readRemoval(const Napi::Value& value);
Result<AnnotationFilter> readAnnotationFilter(const Napi::Value& value);

}  // namespace seriesdb
