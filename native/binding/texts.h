// Text rows as a JavaScript value.
#pragma once

#include <napi.h>

#include <cstring>

#include "query/query_runs.h"

namespace seriesdb {

// Enough for the text before and after the rows of most answers.
inline constexpr std::size_t kTextRoom = 1024;

inline Napi::Object makeRowTexts(Napi::Env env, const RowTexts& texts) {
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

}  // namespace seriesdb
