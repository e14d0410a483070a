#include "binding/query_task.h"

#include <utility>

#include "binding/errors.h"

namespace seriesdb {

Napi::Value runQuery(Napi::Env env, const std::shared_ptr<Session>& session,
                     std::function<Result<std::string>(Engine&)> work) {
  const Answer answer(env);
  session->completions.expect();
  const auto task = [engine = session->engine.get(), completions = &session->completions, answer,
                     work = std::move(work)] {
    completions->post([answer, text = work(*engine)](Napi::Env loop) {
      if (!text.ok()) return answer.reject(loop, text.status());
      answer.resolve(loop, Napi::String::New(loop, text.value()));
    });
  };
  if (!session->engine->post(task)) {
    session->completions.post([answer](Napi::Env loop) { answer.reject(loop, closedStatus()); });
  }
  return answer.promise(env);
}

}  // namespace seriesdb
