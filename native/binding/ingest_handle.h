// NativeIngest of src/storage/native/contract.ts.
#pragma once

#include <napi.h>

#include <memory>
#include <optional>

#include "binding/session.h"
#include "storage/intake/ingest_request.h"

namespace seriesdb {

class IngestHandle : public Napi::ObjectWrap<IngestHandle> {
 public:
  static Napi::Function define(Napi::Env env);
  explicit IngestHandle(const Napi::CallbackInfo& info);

  // Begins the first body. Fails if the form is invalid, or for lack of memory.
  Status begin(std::shared_ptr<Session> session, IngestRequest::Form form);

 private:
  Napi::Value again(const Napi::CallbackInfo& info);
  Napi::Value write(const Napi::CallbackInfo& info);
  Napi::Value commit(const Napi::CallbackInfo& info);
  Napi::Value abort(const Napi::CallbackInfo& info);

  struct Body {
    std::shared_ptr<Engine> engine;
    std::shared_ptr<ParserState> lines;
    std::unique_ptr<IngestRequest> request;  // Uses `engine` and `lines`.
  };

  Status beginBody();

  std::shared_ptr<Session> session_;
  IngestRequest::Form form_;
  std::optional<Body> body_;  // Null once committed, failed or aborted.
};

}  // namespace seriesdb
