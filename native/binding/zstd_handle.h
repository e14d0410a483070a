// NativeZstd of src/native/contract.ts.
#pragma once

#include <napi.h>

#include <memory>

#include "binding/session.h"
#include "encoding/zstd_decoder.h"

namespace seriesdb {

class ZstdHandle : public Napi::ObjectWrap<ZstdHandle> {
 public:
  static Napi::Function define(Napi::Env env);
  explicit ZstdHandle(const Napi::CallbackInfo& info);
  ~ZstdHandle() override;

  void begin(std::shared_ptr<Session> session);

 private:
  Napi::Value decode(const Napi::CallbackInfo& info);
  Napi::Value close(const Napi::CallbackInfo& info);
  void account();
  void drop();

  std::shared_ptr<Session> session_;
  std::unique_ptr<ZstdDecoder> decoder_;  // Null once closed.
  ByteBuffer piece_;
  std::size_t heldBytes_ = 0;
};

}  // namespace seriesdb
