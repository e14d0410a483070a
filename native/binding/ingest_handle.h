// NativeIngest of src/native/contract.ts.
#pragma once

#include <napi.h>

#include <memory>

#include "binding/session.h"
#include "intake/ingest_request.h"

namespace seriesdb {

class IngestHandle : public Napi::ObjectWrap<IngestHandle> {
 public:
  static Napi::Function define(Napi::Env env);
  explicit IngestHandle(const Napi::CallbackInfo& info);

  // Its first body. What is wrong with the form or with memory is said.
  Status begin(std::shared_ptr<Session> session, IngestRequest::Form form);

 private:
  Napi::Value again(const Napi::CallbackInfo& info);
  Napi::Value write(const Napi::CallbackInfo& info);
  Napi::Value commit(const Napi::CallbackInfo& info);
  Napi::Value abort(const Napi::CallbackInfo& info);

  Status beginBody();

  std::shared_ptr<Session> session_;
  IngestRequest::Form form_;
  // Null once committed, failed or aborted; of the session's engine.
  std::unique_ptr<IngestRequest> request_;
};

}  // namespace seriesdb
