// Reads the fields of a protobuf message, front to back, from untrusted bytes.
//
//   field = tag (varint: number << 3 | wire type), then a varint, or 4 or 8 bytes, or a length
//           (varint) and as many bytes
//
// A message within a message is a field of bytes. Callers that know it make a reader for its bytes;
// others skip it by its length. So nothing here nests, and no input can cause recursion. Groups,
// which would nest, are obsolete and refused.
#pragma once

#include <cstdint>

#include "common/base/bytes.h"

namespace seriesdb {

enum class WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

struct WireField {
  std::uint32_t number = 0;
  WireType type = WireType::kVarint;
  std::uint64_t value = 0;  // For all types except kBytes.
  Bytes bytes;              // For kBytes.

  double asDouble() const { return std::bit_cast<double>(value); }
  // For int32, int64 and enums; other signed types are zigzag.
  std::int64_t asSigned() const { return static_cast<std::int64_t>(value); }
};

enum class WireStep : std::uint8_t {
  kField,
  kEnd,      // No more fields.
  kCut,      // The bytes end within a field.
  kDamaged,  // No further bytes could make it valid.
};

class WireReader {
 public:
  WireReader() = default;
  explicit WireReader(Bytes bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}

  // Reads the next field, with views into the bytes. If it returns anything but kField, the reader
  // has not moved.
  WireStep next(WireField& field) {
    if (at_ == end_) return WireStep::kEnd;
    const std::uint8_t* at = at_;
    std::uint64_t tag = 0;
    WireStep step = readVarint(at, tag);
    if (step == WireStep::kField) {
      if (tag > UINT32_MAX || tag >> kTypeBits == 0) return WireStep::kDamaged;
      field.number = static_cast<std::uint32_t>(tag >> kTypeBits);
      step = readContent(at, static_cast<unsigned>(tag & kTypeMask), field);
    }
    if (step == WireStep::kField) at_ = at;
    return step;
  }
  // The bytes that are not read yet.
  Bytes rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }
  // After kCut: the least number of missing bytes.
  std::uint64_t missingCount() const { return missingCount_; }

 private:
  static constexpr unsigned kTypeBits = 3;
  static constexpr std::uint64_t kTypeMask = 7;

  WireStep readVarint(const std::uint8_t*& at, std::uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      if (at == end_) return cut(1);
      const std::uint8_t byte = *at++;
      if (shift == 63 && byte > 1) break;
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return WireStep::kField;
    }
    return WireStep::kDamaged;
  }

  WireStep readContent(const std::uint8_t*& at, unsigned type, WireField& field) {
    field.type = static_cast<WireType>(type);
    switch (field.type) {
      case WireType::kVarint:
        return readVarint(at, field.value);
      case WireType::kFixed64:
        return readFixed<std::uint64_t>(at, field.value);
      case WireType::kFixed32:
        return readFixed<std::uint32_t>(at, field.value);
      case WireType::kBytes:
        return readBytes(at, field.bytes);
    }
    return WireStep::kDamaged;
  }

  template <typename T>
  WireStep readFixed(const std::uint8_t*& at, std::uint64_t& value) {
    const auto left = static_cast<std::size_t>(end_ - at);
    if (left < sizeof(T)) return cut(sizeof(T) - left);
    value = loadLe<T>(at);
    at += sizeof(T);
    return WireStep::kField;
  }

  WireStep readBytes(const std::uint8_t*& at, Bytes& bytes) {
    std::uint64_t size = 0;
    if (const WireStep step = readVarint(at, size); step != WireStep::kField) return step;
    const auto left = static_cast<std::size_t>(end_ - at);
    if (left < size) return cut(size - left);
    bytes = {at, static_cast<std::size_t>(size)};
    at += size;
    return WireStep::kField;
  }

  WireStep cut(std::uint64_t missingCount) {
    missingCount_ = missingCount;
    return WireStep::kCut;
  }

  const std::uint8_t* at_ = nullptr;
  const std::uint8_t* end_ = nullptr;
  std::uint64_t missingCount_ = 0;
};

// Passes each field of a message to `take` until it returns false. Returns false then, and if the
// message is damaged.
template <typename Take>
bool readFields(Bytes message, Take take) {
  WireReader reader(message);
  WireField field;
  WireStep step = WireStep::kField;
  while ((step = reader.next(field)) == WireStep::kField) {
    if (!take(field)) return false;
  }
  return step == WireStep::kEnd;
}

}  // namespace seriesdb
