// Writes protobuf messages, for tests.
#pragma once

#include <string_view>

#include "common/base/bytes.h"

namespace seriesdb::test {

class MessageWriter {
 public:
  void addVarint(std::uint32_t field, std::uint64_t value) {
    appendVarint(bytes_, field << 3);
    appendVarint(bytes_, value);
  }
  void addSigned(std::uint32_t field, std::int64_t value) {
    addVarint(field, static_cast<std::uint64_t>(value));
  }
  void addDouble(std::uint32_t field, double value) {
    appendVarint(bytes_, field << 3 | 1);
    appendLe(bytes_, value);
  }
  void addText(std::uint32_t field, std::string_view text) {
    appendVarint(bytes_, field << 3 | 2);
    appendText(bytes_, text);
  }
  void addMessage(std::uint32_t field, const MessageWriter& message) {
    addText(field, asText(message.bytes_));
  }
  void addFixed32(std::uint32_t field, std::uint32_t value) {
    appendVarint(bytes_, field << 3 | 5);
    appendLe(bytes_, value);
  }
  void addBytes(Bytes bytes) { appendBytes(bytes_, bytes); }

  bool isEmpty() const { return bytes_.empty(); }
  std::size_t size() const { return bytes_.size(); }
  Bytes bytes() const { return bytes_; }

 private:
  ByteBuffer bytes_;
};

}  // namespace seriesdb::test
