// NativeJsonReader of src/storage/native/contract.ts.
#pragma once

#include <napi.h>

#include <atomic>
#include <memory>
#include <string>

#include "binding/batches/lent_arrays.h"
#include "binding/errors.h"
#include "binding/session.h"
#include "query/answers/json_reader.h"

namespace seriesdb {

class JsonHandle : public Napi::ObjectWrap<JsonHandle> {
 public:
  static Napi::Function define(Napi::Env env);
  explicit JsonHandle(const Napi::CallbackInfo& info);
  ~JsonHandle() override;

  // `lent` keeps its buffers until the answer ends.
  void begin(std::shared_ptr<Session> session, std::unique_ptr<JsonReader> reader,
             LentArrays lent = {});
  // For readers without an engine; they run on libuv's pool.
  void begin(std::unique_ptr<JsonReader> reader);

 private:
  // Shared with the thread that makes a piece; that thread may outlive the handle.
  struct Work {
    std::shared_ptr<Engine> engine;  // The engine of the reader; null without one.
    std::unique_ptr<JsonReader> reader;
    LentArrays lent;
    std::string piece;
    std::atomic<bool> isBusy{false};
    bool isClosed = false;  // JavaScript thread only.
    std::uint64_t pieceCount = 0;

    Lane lane() const { return reader->lane(); }
    Status make(Engine& engine);
    Napi::Value pack(Napi::Env env);
    void settle(Napi::Env env, const Answer& answer, const Status& status);
  };

  Napi::Value next(const Napi::CallbackInfo& info);
  Napi::Value nextApart(Napi::Env env);
  Napi::Value close(const Napi::CallbackInfo& info);

  std::shared_ptr<Session> session_;  // Null without an engine.
  std::shared_ptr<Work> work_;  // Null once closed.
};

}  // namespace seriesdb
