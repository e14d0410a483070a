// NativeStore of src/storage/native/store-contract.ts: the side of a store on which its client is.
#pragma once

#include <napi.h>

#include <memory>
#include <optional>

#include "binding/errors.h"
#include "bucket/store/queued_store.h"

namespace seriesdb {

class StoreHandle : public Napi::ObjectWrap<StoreHandle> {
 public:
  static Napi::Function define(Napi::Env env);
  explicit StoreHandle(const Napi::CallbackInfo& info);
  ~StoreHandle() override;

  void begin();

 private:
  static void wake(napi_env env, napi_value callback, void* context, void* data);
  static void releaseAtExit(void* handle);

  Napi::Value share(const Napi::CallbackInfo& info);
  Napi::Value take(const Napi::CallbackInfo& info);
  Napi::Value settle(const Napi::CallbackInfo& info);
  Napi::Value close(const Napi::CallbackInfo& info);
  void tell(Napi::Env env);
  void release();

  napi_env env_;
  napi_threadsafe_function function_ = nullptr;
  std::shared_ptr<QueuedStore> store_;  // Null before begin().
  std::optional<Answer> taking_;        // Of the take() that waits.
};

}  // namespace seriesdb
