// Decodes a body in snappy's block format, as Prometheus sends it; not the framed one.
//
//   +---------------------+---------+---------+-----+
//   | size of the text    | element | element | ... |   element: a literal, or a copy of
//   | (varint, < 2^32)    |         |         |     |            what was decoded before
//   +---------------------+---------+---------+-----+
//
// The text is kept whole: an encoder may copy from any distance, and some make one block of a whole
// body. So its size, which stands in front, is bounded before anything is decoded.
#pragma once

#include <cstdint>
#include <memory>

#include "common/encoding/piece_decoder.h"

namespace seriesdb {

class SnappyDecoder final : public PieceDecoder {
 public:
  // A text of more bytes than that is refused.
  explicit SnappyDecoder(std::size_t textSizeMax) : textSizeMax_(textSizeMax) {}

  void write(Bytes chunk) override;
  // kPayloadTooLarge is for the size of the text.
  Status next(Bytes& piece) override;
  bool needsInput() const override { return needsInput_; }
  bool isWhole() const override;
  Status finish() const override;
  // The text as far as there was room made for it, and the input that waits.
  std::size_t memoryBytes() const override { return waiting_.capacity() + capacity_; }

 private:
  struct Element {
    std::size_t size = 0;    // What is left of it; 0: none.
    std::size_t offset = 0;  // How far back it copies; 0: a literal.
  };

  bool readTextSize();
  void makeRoom(std::size_t textSize);
  void decodeElements(std::size_t target);
  bool decodeElement(std::size_t target);
  bool readTag();
  // Notes what is wrong with the body.
  bool check(bool holds, const char* otherwise);

  std::size_t textSizeMax_;
  ByteBuffer waiting_;  // From `at_` on.
  std::size_t at_ = 0;
  bool isTextSizeKnown_ = false;
  std::size_t textSize_ = 0;
  std::unique_ptr<std::uint8_t[]> text_;
  std::size_t capacity_ = 0;
  std::size_t decoded_ = 0;
  Element element_;  // Which the input or a piece has cut.
  bool needsInput_ = true;
  Status failed_;
};

}  // namespace seriesdb
