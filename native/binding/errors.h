// Converts a Status to a JavaScript error with `code`, and settles promises.
//
// While an environment ends (a worker is terminated), any Node-API call may fail. Its result is
// then empty and must not be used.
#pragma once

#include <napi.h>

#include "common/base/status.h"

namespace seriesdb {

inline Napi::Error makeError(Napi::Env env, const Status& status) {
  Napi::Error error = Napi::Error::New(env, status.message());
  error.Set("code", Napi::String::New(env, std::string(statusName(status.code()))));
  return error;
}

// Throws in JavaScript; the caller must return the result at once. An exception of an argument's
// own code is kept.
inline Napi::Value raise(Napi::Env env, const Status& status) {
  if (!env.IsExceptionPending()) makeError(env, status).ThrowAsJavaScriptException();
  return {};
}

// A promise and the right to settle it once, on the JavaScript thread. Does nothing if the
// environment ends. Napi::Promise::Deferred would keep values that were never set.
class Answer {
 public:
  explicit Answer(Napi::Env env) {
    if (napi_create_promise(env, &deferred_, &promise_) == napi_ok) return;
    deferred_ = nullptr;
    promise_ = nullptr;
  }

  // Only within the call that created it.
  Napi::Value promise(Napi::Env env) const { return {env, promise_}; }
  void resolve(Napi::Env env, napi_value value) const {
    if (deferred_ != nullptr && value != nullptr) {
      static_cast<void>(napi_resolve_deferred(env, deferred_, value));
    }
  }
  void reject(Napi::Env env, napi_value error) const {
    if (deferred_ != nullptr && error != nullptr) {
      static_cast<void>(napi_reject_deferred(env, deferred_, error));
    }
  }
  void reject(Napi::Env env, const Status& status) const {
    reject(env, makeError(env, status).Value());
  }

 private:
  napi_deferred deferred_ = nullptr;
  napi_value promise_ = nullptr;
};

// A rejected promise: with the exception of an argument's own code, or else `status`.
inline Napi::Value rejected(Napi::Env env, const Status& status) {
  const bool isThrown = env.IsExceptionPending();
  const Napi::Error error = isThrown ? env.GetAndClearPendingException() : makeError(env, status);
  const Answer answer(env);
  answer.reject(env, error.Value());
  return answer.promise(env);
}

inline Status closedStatus() { return {StatusCode::kClosed, "the handle is closed"}; }

}  // namespace seriesdb
