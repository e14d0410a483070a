#include "binding/decoder_handle.h"

#include <cstring>
#include <utility>

#include "binding/arguments/arguments.h"
#include "binding/errors.h"
#include "binding/names.h"

namespace seriesdb {
namespace {

Result<DecodeMode> readMode(const Napi::Value& value) {
  if (!value.IsString()) return Status::invalid("mode must be a string");
  const auto mode = fromWord<DecodeMode>(textOf(value));
  if (!mode) return Status::invalid("mode is unknown");
  return *mode;
}

}  // namespace

Napi::Function DecoderHandle::define(Napi::Env env) {
  return DefineClass(env, "NativeDecoder",
                     {InstanceMethod<&DecoderHandle::decode>("decode"),
                      InstanceMethod<&DecoderHandle::close>("close")});
}

DecoderHandle::DecoderHandle(const Napi::CallbackInfo& info)
    : Napi::ObjectWrap<DecoderHandle>(info) {}

void DecoderHandle::begin(std::shared_ptr<Session> session, std::unique_ptr<CompressedBody> body) {
  session_ = std::move(session);
  engine_ = session_->engine;
  body_ = std::move(body);
}

// decode(chunk: Uint8Array, mode: 'keep' | 'more' | 'last', piece: Uint8Array): number | null.
// `chunk` is lent, `piece` filled.
Napi::Value DecoderHandle::decode(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!body_ || session_->isClosed) return raise(env, closedStatus());
  const auto chunk = readBytes(info[0]);
  if (!chunk.ok()) return raise(env, chunk.status());
  const auto mode = readMode(info[1]);
  if (!mode.ok()) return raise(env, mode.status());
  const auto room = readRoom(info[2]);
  if (!room.ok()) return raise(env, room.status());
  if (room.value().size() < PieceDecoder::kPieceSizeMax) {
    return raise(env, Status::invalid("there must be room for a piece"));
  }
  body_->write(chunk.value());
  if (mode.value() == DecodeMode::kKeep) return env.Null();
  const auto piece = body_->next();
  if (!piece.ok()) return raise(env, piece.status());
  if (!piece.value()) {
    const Status ended = mode.value() == DecodeMode::kLast ? body_->finish() : Status::okStatus();
    return ended.ok() ? env.Null() : raise(env, ended);
  }
  const Bytes text = *piece.value();
  if (!text.empty()) std::memcpy(room.value().data(), text.data(), text.size());
  return Napi::Number::New(env, static_cast<double>(text.size()));
}

// close(): void. Idempotent.
Napi::Value DecoderHandle::close(const Napi::CallbackInfo& info) {
  body_.reset();
  engine_.reset();
  return info.Env().Undefined();
}

}  // namespace seriesdb
