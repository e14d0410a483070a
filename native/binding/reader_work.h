// next() of the handles of readers, one call at a time, in the lane that the reader names.
#pragma once

#include <napi.h>

#include <memory>

#include "base/status.h"
#include "binding/errors.h"
#include "binding/session.h"

namespace seriesdb {

// Work is shared with the query thread, which may outlive the handle. It has
//   bool isBusy                        set while a thread of the engine has it
//   Lane lane()                        on the JavaScript thread, and quick itself
//   Status make(Engine&)               on either thread
//   std::shared_ptr<Engine> engine     held as long as the reader, also when the session closes
//   void settle(Napi::Env, const Answer&, const Status&)   on the JavaScript thread
// REQUIRES that the session is not closed.
template <typename Work>
Napi::Value nextOf(Napi::Env env, Session& session, const std::shared_ptr<Work>& work) {
  if (work->isBusy) return rejected(env, Status::invalid("next() is already running"));
  const Answer answer(env);
  Engine& engine = *work->engine;
  const Lane lane = work->lane();
  if (lane == Lane::kHere) {
    const Status status = work->make(engine);
    work->settle(env, answer, status);
    return answer.promise(env);
  }
  work->isBusy = true;
  session.completions.expect();
  const auto task = [work, &engine, completions = &session.completions, answer] {
    const Status status = work->make(engine);
    completions->post([work, status, answer](Napi::Env loop) {
      work->isBusy = false;
      work->settle(loop, answer, status);
    });
  };
  if (!engine.post(lane, task)) {
    session.completions.post([answer](Napi::Env loop) { answer.reject(loop, closedStatus()); });
  }
  return answer.promise(env);
}

}  // namespace seriesdb
