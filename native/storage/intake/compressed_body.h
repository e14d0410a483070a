// The compressed body of one request, decoded in pieces.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "common/base/bytes.h"
#include "common/encoding/piece_decoder.h"
#include "storage/engine/engine.h"
#include "storage/intake/request_memory.h"

namespace seriesdb {

enum class BodyCoding : std::uint8_t { kZstd, kSnappy };

// Not thread-safe.
class CompressedBody {
  struct Key {};

 public:
  CompressedBody(Key key, Engine& engine, BodyCoding coding);
  // Fails with kBackpressure or kStorageUnavailable. The engine must outlive it.
  static Result<std::unique_ptr<CompressedBody>> begin(Engine& engine, BodyCoding coding);

  // Copies `chunk`, the next bytes of the compressed body.
  void write(Bytes chunk);
  // The next piece of the text, valid until the next call. It may be empty; null: all written bytes
  // are decoded. Fails as PieceDecoder::next().
  Result<std::optional<Bytes>> next();
  // kInvalidArgument if the body is cut short.
  Status finish() const { return decoder_->finish(); }

 private:
  void account() { memory_.set(decoder_->memoryBytes()); }

  std::unique_ptr<PieceDecoder> decoder_;
  RequestMemory memory_;
};

}  // namespace seriesdb
