// NativeIngest of src/native/contract.ts.
#pragma once

#include <napi.h>

#include <memory>

#include "binding/session.h"
#include "ndjson/paced_parser.h"

namespace seriesdb {

class IngestHandle : public Napi::ObjectWrap<IngestHandle> {
 public:
  static Napi::Function define(Napi::Env env);
  explicit IngestHandle(const Napi::CallbackInfo& info);
  ~IngestHandle() override;

  void begin(std::shared_ptr<Session> session, const IngestOptions& options);

 private:
  Napi::Value write(const Napi::CallbackInfo& info);
  Napi::Value commit(const Napi::CallbackInfo& info);
  Napi::Value abort(const Napi::CallbackInfo& info);
  void account();
  void drop();
  Status fail(Status status);

  std::shared_ptr<Session> session_;
  std::unique_ptr<PacedParser> parser_;  // Null once committed, failed or aborted.
  std::size_t heldBytes_ = 0;
};

}  // namespace seriesdb
