// Decodes a zstd body piece by piece, with the memory and the work of each step bounded.
//
// A body may hold several frames. A frame whose window is larger than kWindowSizeMax, which is what
// RFC 9659 lets a server refuse, or that needs a dictionary, is refused. Not thread-safe.
#pragma once

#include <memory>

#include "base/bytes.h"
#include "base/status.h"

struct ZSTD_DCtx_s;

namespace seriesdb {

class ZstdDecoder {
 public:
  static constexpr int kWindowLog = 23;
  static constexpr std::size_t kWindowSizeMax = std::size_t{1} << kWindowLog;
  static constexpr std::size_t kPieceSizeMax = std::size_t{128} << 10;

  // One next() passes over so many frames and bytes of input that have no content.
  static constexpr int kFramesMax = 256;
  static constexpr std::size_t kInputMax = kPieceSizeMax;

  ZstdDecoder();

  // Takes a copy of the next bytes of the body.
  void write(Bytes chunk);
  // Replaces `piece` with the next decoded bytes, at most kPieceSizeMax; empty when more input is
  // needed, or for now after much that has no content. kInvalidArgument for damage,
  // kPayloadTooLarge for the window; both are final.
  Status next(ByteBuffer& piece);
  // Whether next() found nothing left to decode.
  bool needsInput() const { return needsInput_; }
  // Whether what was written so far ends with a frame, all of it decoded.
  bool isWhole() const { return isFrameDone_ && at_ == waiting_.size(); }
  // Bytes held: the window and the input that waits.
  std::size_t memoryBytes() const;

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s* context) const;
  };

  std::unique_ptr<ZSTD_DCtx_s, Free> context_;
  ByteBuffer waiting_;  // From `at_` on.
  std::size_t at_ = 0;
  bool isFrameDone_ = true;
  bool needsInput_ = true;
  Status failed_;
};

}  // namespace seriesdb
