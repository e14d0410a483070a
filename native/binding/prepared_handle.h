// NativePrepared of src/storage/native/contract.ts.
#pragma once

#include <napi.h>

#include <memory>
#include <optional>

#include "binding/session.h"
#include "query/query_request.h"

namespace seriesdb {

class PreparedHandle : public Napi::ObjectWrap<PreparedHandle> {
 public:
  static Napi::Function define(Napi::Env env);
  explicit PreparedHandle(const Napi::CallbackInfo& info);

  // REQUIRES: the request is for text.
  void begin(std::shared_ptr<Session> session, QueryRequest request);

 private:
  Napi::Value answer(const Napi::CallbackInfo& info);

  std::shared_ptr<Session> session_;
  std::optional<QueryRequest> request_;
};

}  // namespace seriesdb
