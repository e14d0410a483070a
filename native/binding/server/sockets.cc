#include "binding/server/sockets.h"

#include <fcntl.h>

#include <array>
#include <cstddef>

#include "binding/errors.h"
#include "common/base/receive_buffers.h"

namespace seriesdb {
namespace {

// Longer texts use a stream. The head of an answer takes some hundred bytes.
constexpr std::size_t kTextMax = 8 * 1024;

// A JavaScript string as UTF-8.
class ShortText {
 public:
  // False if the value is too long, or not a string.
  bool read(Napi::Env env, Napi::Value value) {
    // Node-API cuts a longer text at most three bytes before the end, and adds a zero byte.
    return napi_get_value_string_utf8(env, value, bytes_.data(), bytes_.size(), &size_) ==
               napi_ok &&
           size_ + 4 < bytes_.size();
  }
  [[nodiscard]] iovec piece() { return {bytes_.data(), size_}; }

 private:
  std::array<char, kTextMax> bytes_;
  std::size_t size_ = 0;
};

iovec pieceOf(Napi::Value value) {
  if (!value.IsTypedArray()) return {nullptr, 0};
  auto bytes = value.As<Napi::Uint8Array>();
  return {static_cast<void*>(bytes.Data()), bytes.ByteLength()};
}

}  // namespace

Napi::Value copyDescriptor(const Napi::CallbackInfo& info) {
  if (!info[0].IsNumber()) {
    return raise(info.Env(), Status::invalid("copyDescriptor takes a descriptor"));
  }
  const int copy = fcntl(info[0].As<Napi::Number>().Int32Value(), F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return raise(info.Env(), Status::io("a descriptor cannot be copied"));
  return Napi::Number::New(info.Env(), copy);
}

Napi::Value sendNow(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const bool isBody = info[2].IsTypedArray() || info[2].IsNull();
  if (!info[0].IsNumber() || !info[1].IsString() || !isBody) {
    return raise(env, Status::invalid("sendNow takes a descriptor, a text, and bytes or null"));
  }
  ShortText text;
  if (!text.read(env, info[1])) return Napi::Number::New(env, -1);
  std::array<iovec, 2> pieces{text.piece(), pieceOf(info[2])};
  const ssize_t sent = sendPieces(info[0].As<Napi::Number>().Int32Value(), pieces);
  if (sent < 0) return Napi::Number::New(env, -1);
  std::size_t all = 0;
  for (const iovec& piece : pieces) all += piece.iov_len;
  return Napi::Number::New(env, static_cast<double>(all - static_cast<std::size_t>(sent)));
}

Napi::Value unconfirmedBytes(const Napi::CallbackInfo& info) {
  const int descriptor = info[0].IsNumber() ? info[0].As<Napi::Number>().Int32Value() : -1;
  return Napi::Number::New(info.Env(), unconfirmedSize(descriptor));
}

}  // namespace seriesdb
