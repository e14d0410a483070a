// A call that may take long: `work` runs on libuv's pool, `pack` on the JavaScript thread.
#pragma once

#include <napi.h>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "binding/errors.h"
#include "common/base/status.h"

namespace seriesdb {

template <typename T>
class Task : public Napi::AsyncWorker {
 public:
  using Work = std::function<Result<T>()>;
  using Pack = std::function<Napi::Value(Napi::Env, T)>;

  Task(Napi::Env env, Work work, Pack pack)
      : Napi::AsyncWorker(env), answer_(env), work_(std::move(work)), pack_(std::move(pack)) {}
  Napi::Value promise() const { return answer_.promise(Env()); }

 protected:
  void Execute() override { result_.emplace(work_()); }
  void OnOK() override {
    const Napi::HandleScope scope(Env());
    if (!result_->ok()) return answer_.reject(Env(), result_->status());
    answer_.resolve(Env(), pack_(Env(), std::move(*result_).value()));
  }

 private:
  Answer answer_;
  Work work_;
  Pack pack_;
  std::optional<Result<T>> result_;
};

// The promise of pack(work()). The task frees itself when it is done, as Napi::AsyncWorker does.
template <typename T>
Napi::Value runTask(Napi::Env env, typename Task<T>::Work work, typename Task<T>::Pack pack) {
  auto task = std::make_unique<Task<T>>(env, std::move(work), std::move(pack));
  const Napi::Value promise = task->promise();
  task.release()->Queue();
  return promise;
}

}  // namespace seriesdb
