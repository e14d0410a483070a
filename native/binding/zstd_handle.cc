#include "binding/zstd_handle.h"

#include <cstring>
#include <utility>

#include "binding/arguments.h"
#include "binding/errors.h"
#include "binding/names.h"

namespace seriesdb {
namespace {

Result<ZstdMode> readMode(const Napi::Value& value) {
  if (!value.IsString()) return Status::invalid("mode must be a string");
  const auto mode = fromWord<ZstdMode>(value.As<Napi::String>().Utf8Value());
  if (!mode) return Status::invalid("mode is none of those known");
  return *mode;
}

}  // namespace

Napi::Function ZstdHandle::define(Napi::Env env) {
  return DefineClass(
      env, "NativeZstd",
      {InstanceMethod<&ZstdHandle::decode>("decode"), InstanceMethod<&ZstdHandle::close>("close")});
}

ZstdHandle::ZstdHandle(const Napi::CallbackInfo& info) : Napi::ObjectWrap<ZstdHandle>(info) {}

ZstdHandle::~ZstdHandle() { drop(); }

void ZstdHandle::begin(std::shared_ptr<Session> session) {
  session_ = std::move(session);
  decoder_ = std::make_unique<ZstdDecoder>();
  account();
}

void ZstdHandle::account() {
  const std::size_t now = decoder_->memoryBytes() + piece_.capacity();
  session_->engine->holdBytes(static_cast<std::int64_t>(now) -
                              static_cast<std::int64_t>(heldBytes_));
  heldBytes_ = now;
}

void ZstdHandle::drop() {
  if (!decoder_) return;
  decoder_.reset();
  session_->engine->holdBytes(-static_cast<std::int64_t>(std::exchange(heldBytes_, 0)));
}

// decode(chunk: Uint8Array, mode: 'keep' | 'more' | 'last'): ArrayBuffer | null. `chunk` is lent,
// the buffer is given.
Napi::Value ZstdHandle::decode(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!decoder_ || session_->isClosed) return raise(env, closedStatus());
  const auto chunk = readBytes(info[0]);
  if (!chunk.ok()) return raise(env, chunk.status());
  const auto mode = readMode(info[1]);
  if (!mode.ok()) return raise(env, mode.status());
  decoder_->write(chunk.value());
  if (mode.value() == ZstdMode::kKeep) {
    account();
    return env.Null();
  }
  const Status decoded = decoder_->next(piece_);
  account();
  if (!decoded.ok()) return raise(env, decoded);
  if (piece_.empty() && decoder_->needsInput()) {
    const bool isCut = mode.value() == ZstdMode::kLast && !decoder_->isWhole();
    return isCut ? raise(env, Status::invalid("zstd: the last frame is cut short")) : env.Null();
  }
  auto buffer = Napi::ArrayBuffer::New(env, piece_.size());
  if (!buffer.IsEmpty() && !piece_.empty()) {
    std::memcpy(buffer.Data(), piece_.data(), piece_.size());
  }
  return buffer;
}

// close(): void. Idempotent.
Napi::Value ZstdHandle::close(const Napi::CallbackInfo& info) {
  drop();
  return info.Env().Undefined();
}

}  // namespace seriesdb
