// NativeQueryReader of src/storage/native/contract.ts.
#pragma once

#include <napi.h>

#include <memory>

#include "binding/batches/batch_source.h"
#include "binding/errors.h"
#include "binding/session.h"

namespace seriesdb {

class QueryHandle : public Napi::ObjectWrap<QueryHandle> {
 public:
  static Napi::Function define(Napi::Env env);
  explicit QueryHandle(const Napi::CallbackInfo& info);
  ~QueryHandle() override;

  void begin(std::shared_ptr<Session> session, std::unique_ptr<BatchSource> source);

 private:
  // Shared with the query thread that makes a batch; that thread may outlive the handle.
  struct Work {
    // Both null once closed: results are freed at once, before the handle is collected.
    std::shared_ptr<Engine> engine;
    std::unique_ptr<BatchSource> source;
    bool isBusy = false;
    bool isClosed = false;
    QueryStats lastStats{};  // The statistics at close().

    void release(Napi::Env env);
    Lane lane() { return source->lane(); }
    Status make(Engine&) { return source->make(); }
    void settle(Napi::Env env, const Answer& answer, const Status& status);
  };

  Napi::Value next(const Napi::CallbackInfo& info);
  Napi::Value stats(const Napi::CallbackInfo& info);
  Napi::Value close(const Napi::CallbackInfo& info);

  std::shared_ptr<Session> session_;
  std::shared_ptr<Work> work_;
};

}  // namespace seriesdb
