// next() of the reader handles: one call at a time, in the lane of the reader.
#pragma once

#include <napi.h>

#include <memory>

#include "binding/errors.h"
#include "binding/session.h"
#include "common/base/status.h"

namespace seriesdb {

// Called when a piece is settled: JavaScript first passes it on, and counts it.
inline void endTurn(Session& session) {
  if (!session.turns.end()) return;
  session.completions.expect();
  session.completions.post([&session](Napi::Env) { session.turns.advance(); });
}

// Starts one next(). Work is shared with the query thread, which may outlive the handle. It has
//   bool isBusy                        true while a thread of the engine uses it
//   Lane lane()                        on the JavaScript thread; must be quick
//   Status make(Engine&)               on the thread of the lane
//   std::shared_ptr<Engine> engine     held as long as the reader, also after the session closes
//   void settle(Napi::Env, const Answer&, const Status&)   on the JavaScript thread
//   std::uint64_t pieceCount           finished pieces; only in readers that take turns
// REQUIRES: the session is not closed.
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
  const bool takesTurn = lane == Lane::kQuery && requires { work->pieceCount; };
  const auto settle = [work, &session, answer, takesTurn](Napi::Env loop, const Status& status) {
    if (takesTurn) endTurn(session);
    work->isBusy = false;
    work->settle(loop, answer, status);
  };
  const auto post = [work, &engine, &session, lane, settle] {
    session.completions.expect();
    const auto end = [&session, settle](const Status& status) {
      session.completions.post([settle, status](Napi::Env loop) { settle(loop, status); });
    };
    if (!engine.post(lane, [work, &engine, end] { end(work->make(engine)); })) end(closedStatus());
  };
  if constexpr (requires { work->pieceCount; }) {
    if (takesTurn) {
      session.turns.begin(work->pieceCount, post);
      return answer.promise(env);
    }
  }
  post();
  return answer.promise(env);
}

}  // namespace seriesdb
