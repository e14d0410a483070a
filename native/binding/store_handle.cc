#include "binding/store_handle.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "binding/arguments/arguments.h"
#include "binding/columns.h"
#include "binding/names.h"
#include "common/base/clock.h"

namespace seriesdb {
namespace {

// More requests than a client sends at once wait here, where they hold no second copy of a body.
constexpr std::size_t kTakenMax = 64;

Napi::Value packRange(Napi::Env env, const std::optional<StoreRange>& range) {
  if (!range) return env.Null();
  auto packed = Napi::Object::New(env);
  packed.Set("offset", static_cast<double>(range->offset));
  packed.Set("size", static_cast<double>(range->size));
  return packed;
}

// Empty if the environment ends.
Napi::Value packRequest(Napi::Env env, QueuedStore::Id id, const StoreRequest& request) {
  auto packed = Napi::Object::New(env);
  packed.Set("id", static_cast<double>(id));
  packed.Set("op", std::string(kWords<StoreOp>[static_cast<std::size_t>(request.op)].text));
  packed.Set("key", request.key);
  packed.Set("isCreate", request.isCreate());
  const bool hasBody = request.op == StoreOp::kPut || request.op == StoreOp::kPutPart;
  if (hasBody) {
    packed.Set("body", copyBuffer(env, request.body.data(), request.body.size()));
    packed.Set("bodyHash", request.bodyHash.text());
  } else {
    packed.Set("body", env.Null());
    packed.Set("bodyHash", std::string());
  }
  packed.Set("range", packRange(env, request.range));
  packed.Set("after", request.after);
  packed.Set("countMax", static_cast<double>(request.countMax));
  packed.Set("upload", request.upload);
  packed.Set("part", request.part);
  auto tags = Napi::Array::New(env, request.tags.size());
  for (std::uint32_t i = 0; i < request.tags.size(); ++i) tags.Set(i, request.tags[i]);
  packed.Set("tags", tags);
  const std::uint64_t now = monotonicNanos();
  const std::uint64_t left = request.deadlineNanos > now ? request.deadlineNanos - now : 0;
  packed.Set("timeoutMs", static_cast<double>(left / 1'000'000));
  return packed;
}

Status readListed(const Napi::Object& object, std::vector<ListedObject>& listed) {
  std::vector<std::string> keys;
  if (Status read = appendTexts(object, "keys", keys); !read.ok()) return read;
  const Napi::Value sizes = object.Get("sizes");
  if (!sizes.IsTypedArray()) return wrongArgument("sizes", "a Float64Array");
  if (sizes.As<Napi::TypedArray>().TypedArrayType() != napi_float64_array) {
    return wrongArgument("sizes", "a Float64Array");
  }
  const auto numbers = sizes.As<Napi::Float64Array>();
  if (numbers.ElementLength() != keys.size()) return wrongArgument("sizes", "one for each key");
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ListedObject one{std::move(keys[i]), 0};
    if (Status read = toCount(numbers[i], "sizes", one.sizeBytes); !read.ok()) return read;
    listed.push_back(std::move(one));
  }
  return {};
}

Result<StoreAnswer> readAnswer(const Napi::Object& object) {
  StoreAnswer answer;
  const auto outcome = readName<StoreOutcome>(object, "outcome");
  if (!outcome.ok()) return outcome.status();
  answer.outcome = outcome.value();
  const auto body = readBytes(object.Get("body"));
  if (!body.ok()) return body.status();
  answer.body.assign(body.value().begin(), body.value().end());
  if (Status read = readListed(object, answer.listed); !read.ok()) return read;
  if (Status read = readFlag(object, "hasMore", answer.hasMore); !read.ok()) return read;
  for (auto [key, text] : {std::pair{"text", &answer.text}, std::pair{"reason", &answer.reason}}) {
    auto read = readText(object, key);
    if (!read.ok()) return read.status();
    *text = std::move(read).value();
  }
  return answer;
}

}  // namespace

Napi::Function StoreHandle::define(Napi::Env env) {
  return DefineClass(
      env, "NativeStore",
      {InstanceMethod<&StoreHandle::share>("share"), InstanceMethod<&StoreHandle::take>("take"),
       InstanceMethod<&StoreHandle::settle>("settle"),
       InstanceMethod<&StoreHandle::close>("close")});
}

StoreHandle::StoreHandle(const Napi::CallbackInfo& info)
    : Napi::ObjectWrap<StoreHandle>(info), env_(info.Env()) {}

StoreHandle::~StoreHandle() {
  if (store_) napi_remove_env_cleanup_hook(env_, &StoreHandle::releaseAtExit, this);
  release();
}

void StoreHandle::begin() {
  const Napi::Env env(env_);
  const auto name = Napi::String::New(env, "seriesdb store");
  const napi_status made = napi_create_threadsafe_function(
      env_, nullptr, nullptr, name, 0, 1, nullptr, nullptr, this, &StoreHandle::wake, &function_);
  CHECK(made == napi_ok);
  // What keeps the thread running is its own affair.
  napi_unref_threadsafe_function(env_, function_);
  napi_add_env_cleanup_hook(env_, &StoreHandle::releaseAtExit, this);
  store_ = std::make_shared<QueuedStore>([function = function_] {
    napi_call_threadsafe_function(function, nullptr, napi_tsfn_nonblocking);
  });
}

void StoreHandle::releaseAtExit(void* handle) { static_cast<StoreHandle*>(handle)->release(); }

// Requests end before the function goes, which their threads call.
void StoreHandle::release() {
  if (function_ == nullptr) return;
  store_->close();
  napi_release_threadsafe_function(std::exchange(function_, nullptr), napi_tsfn_abort);
}

void StoreHandle::wake(napi_env env, napi_value, void* context, void*) {
  if (env == nullptr) return;
  const Napi::HandleScope scope(env);
  static_cast<StoreHandle*>(context)->tell(Napi::Env(env));
}

void StoreHandle::tell(Napi::Env env) {
  if (!taking_ || !store_->isWaiting()) return;
  const Answer answer = *std::exchange(taking_, std::nullopt);
  auto packed = Napi::Array::New(env);
  std::uint32_t count = 0;
  store_->take(kTakenMax, [&](QueuedStore::Id id, const StoreRequest& request) {
    const Napi::Value one = packRequest(env, id, request);
    if (!one.IsEmpty()) packed.Set(count++, one);
  });
  answer.resolve(env, packed);
}

// share(): number.
Napi::Value StoreHandle::share(const Napi::CallbackInfo& info) {
  if (!store_) return raise(info.Env(), closedStatus());
  return Napi::Number::New(info.Env(), shareStore(store_));
}

// take(): Promise<NativeStoreRequest[]>. Null once closed.
Napi::Value StoreHandle::take(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (taking_) return rejected(env, Status::invalid("take() is already waiting"));
  const Answer answer(env);
  if (function_ == nullptr) {
    answer.resolve(env, env.Null());
  } else {
    taking_.emplace(answer);
    tell(env);
  }
  return answer.promise(env);
}

// settle(id: number, answer: NativeStoreAnswer): void.
Napi::Value StoreHandle::settle(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!info[0].IsNumber() || !info[1].IsObject()) {
    return raise(env, Status::invalid("settle takes a number and an answer"));
  }
  auto answer = readAnswer(info[1].As<Napi::Object>());
  if (!answer.ok()) return raise(env, answer.status());
  const double id = info[0].As<Napi::Number>().DoubleValue();
  if (store_) store_->settle(static_cast<QueuedStore::Id>(id), std::move(answer).value());
  return env.Undefined();
}

// close(): void. Idempotent.
Napi::Value StoreHandle::close(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  release();
  if (taking_) std::exchange(taking_, std::nullopt)->resolve(env, env.Null());
  return env.Undefined();
}

}  // namespace seriesdb
