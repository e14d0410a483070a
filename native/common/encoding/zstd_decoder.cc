#include "common/encoding/zstd_decoder.h"

#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <string>

namespace seriesdb {

void ZstdDecoder::Free::operator()(ZSTD_DCtx_s* context) const { ZSTD_freeDCtx(context); }

ZstdDecoder::ZstdDecoder() : context_(ZSTD_createDCtx()) {
  CHECK(context_ != nullptr);
  const auto set = ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kWindowLog);
  CHECK(ZSTD_isError(set) == 0);
}

void ZstdDecoder::write(Bytes chunk) {
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(at_));
  at_ = 0;
  appendBytes(waiting_, chunk);
}

Status ZstdDecoder::next(Bytes& piece) {
  piece = {};
  if (!failed_.ok()) return failed_;
  piece_.resize(kPieceSizeMax);
  ZSTD_outBuffer out{piece_.data(), piece_.size(), 0};
  const std::size_t inputEnd = at_ + std::min(waiting_.size() - at_, kInputMax);
  ZSTD_inBuffer in{waiting_.data(), inputEnd, at_};
  // A zstd call ends with each frame, so an empty frame needs another call.
  bool hasProgress = true;
  for (int frames = 0; hasProgress && out.pos == 0 && frames < kFramesMax; ++frames) {
    const std::size_t before = in.pos;
    const std::size_t result = ZSTD_decompressStream(context_.get(), &out, &in);
    if (ZSTD_isError(result) != 0) {
      if (ZSTD_getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge) {
        failed_ = Status(StatusCode::kPayloadTooLarge, "zstd: the window is larger than 8 MiB");
        return failed_;
      }
      failed_ = Status::invalid(std::string("zstd: ") + ZSTD_getErrorName(result));
      return failed_;
    }
    hasProgress = in.pos > before || out.pos > 0;
    if (hasProgress) isFrameDone_ = result == 0;
  }
  at_ = in.pos;
  needsInput_ = !hasProgress && inputEnd == waiting_.size();
  piece = Bytes(piece_).first(out.pos);
  return failed_;
}

Status ZstdDecoder::finish() const {
  if (isWhole()) return {};
  return Status::invalid("zstd: the last frame is cut short");
}

std::size_t ZstdDecoder::memoryBytes() const {
  return ZSTD_sizeof_DCtx(context_.get()) + waiting_.capacity() + piece_.capacity();
}

}  // namespace seriesdb
