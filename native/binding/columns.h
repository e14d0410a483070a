// Columns and statistics of a query as JavaScript values.
#pragma once

#include <napi.h>

#include <array>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "common/base/plain_array.h"
#include "query/samples/query_stats.h"

namespace seriesdb {

// An ArrayBuffer with a copy of these bytes, owned by JavaScript. Empty if the environment ends.
inline Napi::ArrayBuffer copyBuffer(Napi::Env env, const void* data, std::size_t size) {
  auto buffer = Napi::ArrayBuffer::New(env, size);
  if (!buffer.IsEmpty() && size > 0) std::memcpy(buffer.Data(), data, size);
  return buffer;
}

// A typed array with a copy of `column`, owned by JavaScript. Empty if the environment ends.
template <typename Array, typename T>
Napi::Value makeColumn(Napi::Env env, std::span<const T> column) {
  const Napi::ArrayBuffer buffer = copyBuffer(env, column.data(), column.size_bytes());
  if (buffer.IsEmpty()) return {};
  return Array::New(env, column.size(), buffer, 0);
}

// Below this size, copying memory is cheaper than handing it over.
inline constexpr std::size_t kGivenMin = 64 * 1024;

// An ArrayBuffer over the memory of `owner`, a string or an array, because zeroing and copying a
// buffer is slow. Empty if the environment ends.
template <typename Owner>
Napi::ArrayBuffer giveBuffer(Napi::Env env, Owner&& owner) {
  static_assert(!std::is_lvalue_reference_v<Owner>, "it is moved from");
  using Kept = std::remove_cvref_t<Owner>;
  auto kept = std::make_unique<Kept>(std::move(owner));
  Kept* const given = kept.get();
  auto buffer = Napi::ArrayBuffer::New(
      env, given->data(), given->size() * sizeof(*given->data()),
      [](Napi::BasicEnv, void*, Kept* one) { delete one; }, given);
  // If no buffer was created, nothing else owns the memory.
  if (!buffer.IsEmpty()) static_cast<void>(kept.release());
  return buffer;
}

// The same as a typed array; small columns are copied.
template <typename Array, typename T>
Napi::Value giveColumn(Napi::Env env, PlainArray<T>&& column) {
  if (column.size() * sizeof(T) < kGivenMin) return makeColumn<Array, T>(env, column);
  const std::size_t size = column.size();
  column.fit();
  const Napi::ArrayBuffer buffer = giveBuffer(env, std::move(column));
  if (buffer.IsEmpty()) return {};
  return Array::New(env, size, buffer, 0);
}

inline Napi::Value makeTimestamps(Napi::Env env, std::span<const std::int64_t> column) {
  return makeColumn<Napi::BigInt64Array>(env, column);
}
inline Napi::Value makeDoubles(Napi::Env env, std::span<const double> column) {
  return makeColumn<Napi::Float64Array>(env, column);
}
inline Napi::Value makeNumbers(Napi::Env env, std::span<const std::uint32_t> column) {
  return makeColumn<Napi::Uint32Array>(env, column);
}

inline Napi::Value makeIds(Napi::Env env, std::span<const std::uint64_t> column) {
  return makeColumn<Napi::BigUint64Array>(env, column);
}

inline Napi::Value makeBytes(Napi::Env env, std::span<const std::uint8_t> column) {
  return makeColumn<Napi::Uint8Array>(env, column);
}

inline constexpr double kNanosPerMs = 1e6;

inline Napi::Value makeStats(Napi::Env env, const QueryStats& stats) {
  auto object = Napi::Object::New(env);
  const auto set = [&object](const char* name, std::uint64_t count) {
    object.Set(name, static_cast<double>(count));
  };
  set("seriesSelected", stats.seriesSelected);
  set("labelCount", stats.labelCount);
  object.Set("selectMs", static_cast<double>(stats.selectNanos) / kNanosPerMs);
  set("seriesScanned", stats.seriesScanned);
  set("rowsScanned", stats.rowsScanned);
  set("chunksScanned", stats.chunksScanned);
  set("chunksSkipped", stats.chunksSkipped);
  set("bytesRead", stats.bytesRead);
  return object;
}

// The same numbers in that order, after the row count: creating an object is slower.
using ShortFigures = std::array<double, 9>;

inline ShortFigures shortFigures(std::uint64_t rowCount, const QueryStats& stats) {
  const auto number = [](std::uint64_t count) { return static_cast<double>(count); };
  return {number(rowCount),
          number(stats.seriesSelected),
          number(stats.labelCount),
          number(stats.selectNanos) / kNanosPerMs,
          number(stats.seriesScanned),
          number(stats.rowsScanned),
          number(stats.chunksScanned),
          number(stats.chunksSkipped),
          number(stats.bytesRead)};
}

// Writes the figures and a text into JavaScript's buffer, which has room for the figures. Returns
// the text's size, or null if the text does not fit.
inline Napi::Value writeShort(Napi::Env env, const ShortFigures& figures, std::string_view text,
                              std::span<std::uint8_t> room) {
  if (room.size() - sizeof figures < text.size()) return env.Null();
  std::memcpy(room.data(), figures.data(), sizeof figures);
  std::memcpy(room.data() + sizeof figures, text.data(), text.size());
  return Napi::Number::New(env, static_cast<double>(text.size()));
}

}  // namespace seriesdb
