// The interface of decoders of compressed bodies. The caller feeds the body as it arrives and takes
// decoded pieces, so each step does a bounded amount of work.
#pragma once

#include <cstddef>

#include "common/base/bytes.h"
#include "common/base/status.h"

namespace seriesdb {

// Decodes one body. Not thread-safe.
class PieceDecoder {
 public:
  static constexpr std::size_t kPieceSizeMax = std::size_t{128} << 10;

  virtual ~PieceDecoder() = default;
  // Takes a copy of the next bytes of the body.
  virtual void write(Bytes chunk) = 0;
  // Points `piece` to the next decoded bytes, at most kPieceSizeMax; they are valid until the next
  // call. Empty if more input is needed, or after a bounded amount of input without content.
  // kInvalidArgument for damage, kPayloadTooLarge if decoding would take too much memory; both are
  // final.
  virtual Status next(Bytes& piece) = 0;
  // True if next() found nothing left to decode.
  virtual bool needsInput() const = 0;
  // True if the input so far is a complete body and fully decoded. Empty input counts as one.
  virtual bool isWhole() const = 0;
  // kInvalidArgument unless isWhole().
  virtual Status finish() const = 0;
  // Bytes held, including the waiting input.
  virtual std::size_t memoryBytes() const = 0;
};

}  // namespace seriesdb
