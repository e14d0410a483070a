// Decodes a body in snappy's block format, as Prometheus sends it; not the framed format.
//
//   +---------------------+---------+---------+-----+
//   | size of the text    | element | element | ... |   element: a literal, or a copy of
//   | (varint, < 2^32)    |         |         |     |            text decoded before
//   +---------------------+---------+---------+-----+
//
// The decoder keeps the whole text: an encoder may copy from any distance, and some encode a whole
// body as one block. So the size, which stands in front, is checked before decoding.
#pragma once

#include <cstdint>
#include <memory>

#include "common/encoding/piece_decoder.h"

namespace seriesdb {

class SnappyDecoder final : public PieceDecoder {
 public:
  // Refuses a text of more than `textSizeMax` bytes.
  explicit SnappyDecoder(std::size_t textSizeMax) : textSizeMax_(textSizeMax) {}

  void write(Bytes chunk) override;
  // kPayloadTooLarge refers to the size of the text.
  Status next(Bytes& piece) override;
  bool needsInput() const override { return needsInput_; }
  bool isWhole() const override;
  Status finish() const override;
  // The memory allocated for the text, and the waiting input.
  std::size_t memoryBytes() const override { return waiting_.capacity() + capacity_; }

 private:
  struct Element {
    std::size_t size = 0;    // The remaining bytes; 0: no element.
    std::size_t offset = 0;  // The distance back to the source; 0: a literal.
  };

  bool readTextSize();
  void makeRoom(std::size_t textSize);
  void decodeElements(std::size_t target);
  bool decodeElement(std::size_t target);
  bool readTag();
  // If `holds` is false, records the error.
  bool check(bool holds, const char* otherwise);

  std::size_t textSizeMax_;
  ByteBuffer waiting_;  // Unread input begins at `at_`.
  std::size_t at_ = 0;
  bool isTextSizeKnown_ = false;
  std::size_t textSize_ = 0;
  std::unique_ptr<std::uint8_t[]> text_;
  std::size_t capacity_ = 0;
  std::size_t decoded_ = 0;
  Element element_;  // The element that the end of the input or of a piece interrupted.
  bool needsInput_ = true;
  Status failed_;
};

}  // namespace seriesdb
