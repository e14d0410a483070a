// The state that all handles of one engine share in one JavaScript environment.
//
// Ownership is shared: the collector frees handles in any order, and environments of several
// threads may share an engine. All methods except Completions::post run on the JavaScript thread.
#pragma once

#include <napi.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "common/base/lock_order.h"
#include "common/base/parallel.h"
#include "storage/engine/engine.h"
#include "storage/engine/open_engine.h"
#include "storage/intake/ingest_request.h"
#include "storage/state/memory_use.h"
#include "storage/state/reader_turns.h"

namespace seriesdb {

// Carries completions from engine threads to the JavaScript thread, with one wake-up per burst.
// Keeps the event loop alive only while completions are expected. An ending environment waits for
// all expected posts, so no thread posts to a dead environment.
class Completions {
 public:
  using Completion = std::function<void(Napi::Env)>;

  explicit Completions(Napi::Env env);
  ~Completions();
  // Call before work is handed to a thread that will post its completion.
  void expect();
  // Any thread, once per expect().
  void post(Completion completion);
  // Returns when all expected completions are posted, and discards them. Idempotent.
  void release();
  // Protects this object from collection while completions are expected.
  void setOwner(const Napi::Object& owner) { owner_ = Napi::Weak(owner); }

 private:
  static void releaseAtExit(void* completions);
  static void wake(napi_env env, napi_value callback, void* context, void* data);
  void run(Napi::Env env);

  struct Queue {
    OrderedMutex<LockRank::kCompletions> mutex;
    OrderedCondition posted;
    std::vector<Completion> waiting;
  };
  Queue queue_;
  napi_env env_;
  napi_threadsafe_function function_ = nullptr;
  Napi::ObjectReference owner_;
  std::uint32_t awaited_ = 0;  // Completions that have not run. JavaScript thread only.
  std::atomic<std::uint32_t> unposted_ = 0;
};

class Session {
 public:
  // `owner` closes the engine when its last user leaves; null if the session joined another owner's
  // engine.
  Session(Napi::Env env, std::shared_ptr<Engine> shared, std::shared_ptr<OpenEngine> owner)
      : completions(env),
        engine(std::move(shared)),
        lines(makeKnownLines(*engine)),
        unread(engine->memory().unread),
        turns(2 * engine->queryThreads().count),
        owner_(std::move(owner)) {}

  // Closes the session: no new work begins. Readers hold the engine until they end.
  void release() {
    isClosed = true;
    lines.reset();
    unread.set(0);
    engine.reset();
  }
  // Call after release(). Every call returns the status of the first one. Any thread.
  Status closeEngine() {
    const std::lock_guard lock(closing_);
    if (owner_) closed_ = std::exchange(owner_, nullptr)->leave();
    return closed_;
  }

  Completions completions;  // Outlives the engine, whose threads post here.
  // Both null once closed. `lines`: the frame cache of ingest requests.
  std::shared_ptr<Engine> engine;
  std::shared_ptr<ParserState> lines;
  MemoryHold unread;  // Answers of this environment that wait for their clients.
  ReaderTurns turns;
  bool isClosed = false;

 private:
  OrderedMutex<LockRank::kSessionClosing> closing_;
  std::shared_ptr<OpenEngine> owner_;
  Status closed_;
};

// The handle in a new object; null if the object was not created because the environment ends.
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
  Napi::FunctionReference store;
};

}  // namespace seriesdb
