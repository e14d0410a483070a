// Decodes a zstd body piece by piece, with bounded memory and bounded work for each step.
//
// A body may hold several frames. A frame is refused if it needs a dictionary, or if its window is
// larger than kWindowSizeMax, which RFC 9659 lets a server refuse. Not thread-safe.
#pragma once

#include <memory>

#include "common/encoding/piece_decoder.h"

struct ZSTD_DCtx_s;

namespace seriesdb {

class ZstdDecoder final : public PieceDecoder {
 public:
  static constexpr int kWindowLog = 23;
  static constexpr std::size_t kWindowSizeMax = std::size_t{1} << kWindowLog;

  // One next() skips at most this many frames and input bytes without content.
  static constexpr int kFramesMax = 256;
  static constexpr std::size_t kInputMax = kPieceSizeMax;

  ZstdDecoder();

  void write(Bytes chunk) override;
  // kPayloadTooLarge refers to the window.
  Status next(Bytes& piece) override;
  bool needsInput() const override { return needsInput_; }
  // True if the body ends with a frame.
  bool isWhole() const override { return isFrameDone_ && at_ == waiting_.size(); }
  Status finish() const override;
  // The window, the waiting input and a piece.
  std::size_t memoryBytes() const override;

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s* context) const;
  };

  std::unique_ptr<ZSTD_DCtx_s, Free> context_;
  ByteBuffer piece_;
  ByteBuffer waiting_;  // Unread input begins at `at_`.
  std::size_t at_ = 0;
  bool isFrameDone_ = true;
  bool needsInput_ = true;
  Status failed_;
};

}  // namespace seriesdb
