// What the handles of one open engine share in one JavaScript environment.
//
// Shared ownership is meant: the collector frees handles in any order. All methods but
// Completions::post run on the JavaScript thread.
#pragma once

#include <napi.h>

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/engine.h"
#include "intake/ingest_request.h"

namespace seriesdb {

// Carries completions from the engine's threads to the JavaScript thread, one wake-up for a burst.
// Keeps the event loop alive only while something is awaited.
class Completions {
 public:
  using Completion = std::function<void(Napi::Env)>;

  explicit Completions(Napi::Env env);
  ~Completions();
  // Before work is handed to another thread that will post its end.
  void expect();
  // Any thread, once for each expect().
  void post(Completion completion);
  // No post() may follow. Idempotent.
  void release();
  // The object that must not be collected while something is awaited.
  void setOwner(const Napi::Object& owner) { owner_ = Napi::Weak(owner); }

 private:
  static void releaseAtExit(void* completions);
  static void wake(napi_env env, napi_value callback, void* context, void* data);
  void run(Napi::Env env);

  struct Queue {
    std::mutex mutex;
    std::vector<Completion> waiting;
  };
  Queue queue_;
  napi_env env_;
  napi_threadsafe_function function_ = nullptr;
  Napi::ObjectReference owner_;
  std::uint32_t awaited_ = 0;
};

struct Session {
  Session(Napi::Env env, std::unique_ptr<Engine> opened)
      : completions(env), engine(std::move(opened)), lines(makeKnownLines(*engine)) {}

  Completions completions;  // Outlives the engine, whose threads post here.
  std::unique_ptr<Engine> engine;
  std::unique_ptr<ParserState> lines;  // That ingest requests know.
  bool isClosed = false;
};

// The handle in a new object; null when the environment ends and there is no object.
template <typename Handle>
Handle* handleOf(const Napi::Object& object) {
  return object.IsEmpty() ? nullptr : Handle::Unwrap(object);
}

// The class objects of one environment.
struct Constructors {
  Napi::FunctionReference engine;
  Napi::FunctionReference ingest;
  Napi::FunctionReference jsonReader;
  Napi::FunctionReference queryReader;
  Napi::FunctionReference prepared;
  Napi::FunctionReference decoder;
};

}  // namespace seriesdb
