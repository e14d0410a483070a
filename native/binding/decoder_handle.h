// NativeDecoder of src/storage/native/contract.ts.
#pragma once

#include <napi.h>

#include <memory>

#include "binding/session.h"
#include "storage/intake/compressed_body.h"

namespace seriesdb {

class DecoderHandle : public Napi::ObjectWrap<DecoderHandle> {
 public:
  static Napi::Function define(Napi::Env env);
  explicit DecoderHandle(const Napi::CallbackInfo& info);

  void begin(std::shared_ptr<Session> session, std::unique_ptr<CompressedBody> body);

 private:
  Napi::Value decode(const Napi::CallbackInfo& info);
  Napi::Value close(const Napi::CallbackInfo& info);

  std::shared_ptr<Session> session_;
  // Both null once closed; the engine owns the body.
  std::shared_ptr<Engine> engine_;
  std::unique_ptr<CompressedBody> body_;
};

}  // namespace seriesdb
