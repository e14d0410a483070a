#include "binding/session.h"

#include <utility>

namespace seriesdb {

Completions::Completions(Napi::Env env) : env_(env) {
  const auto name = Napi::String::New(env, "seriesdb completions");
  const napi_status made = napi_create_threadsafe_function(
      env, nullptr, nullptr, name, 0, 1, nullptr, nullptr, this, &Completions::wake, &function_);
  CHECK(made == napi_ok);
  napi_unref_threadsafe_function(env, function_);
  napi_add_env_cleanup_hook(env, &Completions::releaseAtExit, this);
}

Completions::~Completions() {
  napi_remove_env_cleanup_hook(env_, &Completions::releaseAtExit, this);
  release();
}

// The environment frees the function. A handle that is collected afterwards must not touch it.
void Completions::releaseAtExit(void* completions) {
  static_cast<Completions*>(completions)->release();
}

void Completions::release() {
  if (function_ == nullptr) return;
  {
    std::unique_lock lock(queue_.mutex);
    queue_.posted.wait(lock, [this] { return unposted_.load() == 0; });
  }
  napi_release_threadsafe_function(std::exchange(function_, nullptr), napi_tsfn_abort);
}

void Completions::expect() {
  unposted_.fetch_add(1, std::memory_order_relaxed);
  if (awaited_++ > 0) return;
  napi_ref_threadsafe_function(env_, function_);
  owner_.Ref();
}

void Completions::post(Completion completion) {
  const std::lock_guard lock(queue_.mutex);
  const bool isFirst = queue_.waiting.empty();
  queue_.waiting.push_back(std::move(completion));
  // The call fails only while the environment ends, when no one waits.
  if (isFirst) napi_call_threadsafe_function(function_, nullptr, napi_tsfn_nonblocking);
  unposted_.fetch_sub(1, std::memory_order_relaxed);
  queue_.posted.notify_one();
}

void Completions::wake(napi_env env, napi_value, void* context, void*) {
  if (env != nullptr) static_cast<Completions*>(context)->run(Napi::Env(env));
}

void Completions::run(Napi::Env env) {
  std::vector<Completion> ready;
  {
    const std::lock_guard lock(queue_.mutex);
    ready.swap(queue_.waiting);
  }
  for (auto& completion : ready) {
    const Napi::HandleScope scope(env);
    completion(env);
    if (--awaited_ > 0) continue;
    owner_.Unref();
    napi_unref_threadsafe_function(env, function_);
  }
}

}  // namespace seriesdb
