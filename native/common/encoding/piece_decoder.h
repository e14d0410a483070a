// What decoders of compressed bodies have in common: they are fed as the body arrives, and give it
// decoded piece by piece, so that the work of each step is bounded.
#pragma once

#include <cstddef>

#include "common/base/bytes.h"
#include "common/base/status.h"

namespace seriesdb {

// Of one body. Not thread-safe.
class PieceDecoder {
 public:
  static constexpr std::size_t kPieceSizeMax = std::size_t{128} << 10;

  virtual ~PieceDecoder() = default;
  // Takes a copy of the next bytes of the body.
  virtual void write(Bytes chunk) = 0;
  // Points `piece` to the next decoded bytes, at most kPieceSizeMax, which live until the next
  // call; empty when more input is needed, or for now after much that has no content.
  // kInvalidArgument for damage, kPayloadTooLarge for what would take too much memory; both are
  // final.
  virtual Status next(Bytes& piece) = 0;
  // Whether next() found nothing left to decode.
  virtual bool needsInput() const = 0;
  // Whether what was written so far is a whole body, all of it decoded. Nothing at all is one.
  virtual bool isWhole() const = 0;
  // kInvalidArgument unless isWhole().
  virtual Status finish() const = 0;
  // Bytes held, the input that waits included.
  virtual std::size_t memoryBytes() const = 0;
};

}  // namespace seriesdb
