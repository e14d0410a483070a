#include "binding/zstd_handle.h"

#include <cstring>
#include <utility>

#include "binding/arguments.h"
#include "binding/errors.h"

namespace seriesdb {

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

// decode(chunk: Uint8Array, isLast: boolean): ArrayBuffer | null. `chunk` is lent, the buffer is
// given.
Napi::Value ZstdHandle::decode(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!decoder_ || session_->isClosed) return raise(env, closedStatus());
  const auto chunk = readBytes(info[0]);
  if (!chunk.ok()) return raise(env, chunk.status());
  if (!info[1].IsBoolean()) return raise(env, Status::invalid("isLast must be a boolean"));
  decoder_->write(chunk.value());
  const Status decoded = decoder_->next(piece_);
  account();
  if (!decoded.ok()) return raise(env, decoded);
  if (piece_.empty()) {
    const bool isCut = info[1].As<Napi::Boolean>().Value() && !decoder_->isWhole();
    return isCut ? raise(env, Status::invalid("zstd: the last frame is cut short")) : env.Null();
  }
  auto buffer = Napi::ArrayBuffer::New(env, piece_.size());
  if (!buffer.IsEmpty()) std::memcpy(buffer.Data(), piece_.data(), piece_.size());
  return buffer;
}

// close(): void. Idempotent.
Napi::Value ZstdHandle::close(const Napi::CallbackInfo& info) {
  drop();
  return info.Env().Undefined();
}

}  // namespace seriesdb
