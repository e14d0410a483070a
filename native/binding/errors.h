// A Status as a JavaScript error with `code`, in one place.
#pragma once

#include <napi.h>

#include "base/status.h"

namespace seriesdb {

inline Napi::Error makeError(Napi::Env env, const Status& status) {
  Napi::Error error = Napi::Error::New(env, status.message());
  error.Set("code", Napi::String::New(env, std::string(statusName(status.code()))));
  return error;
}

// Throws in JavaScript; the caller returns what this returns at once.
inline Napi::Value raise(Napi::Env env, const Status& status) {
  makeError(env, status).ThrowAsJavaScriptException();
  return env.Undefined();
}

inline Napi::Value rejected(Napi::Env env, const Status& status) {
  const auto deferred = Napi::Promise::Deferred::New(env);
  deferred.Reject(makeError(env, status).Value());
  return deferred.Promise();
}

inline Status closedStatus() { return {StatusCode::kClosed, "the handle is closed"}; }

}  // namespace seriesdb
