// The body of one request that is compressed with zstd, in pieces.
#pragma once

#include <memory>
#include <optional>

#include "base/bytes.h"
#include "encoding/zstd_decoder.h"
#include "engine/engine.h"
#include "intake/request_memory.h"

namespace seriesdb {

// Not thread-safe.
class ZstdBody {
  struct Key {};

 public:
  ZstdBody(Key key, Engine& engine);
  // kBackpressure, kStorageUnavailable. The engine must outlive it.
  static Result<std::unique_ptr<ZstdBody>> begin(Engine& engine);

  // Takes a copy of more of the body.
  void write(Bytes chunk);
  // The next piece of the text, valid until the next call, which may be empty for now; none when
  // all that was written is decoded. Fails as ZstdDecoder::next().
  Result<std::optional<Bytes>> next();
  // kInvalidArgument when the last frame of what was written is cut short.
  Status finish() const;

 private:
  void account();

  ZstdDecoder decoder_;
  ByteBuffer piece_;
  RequestMemory memory_;
};

}  // namespace seriesdb
