// Bytes in memory: views, little-endian loads and stores, a growing buffer,
// varints, and a bounds-checked reader for untrusted bytes.
// Every multi-byte integer that seriesdb writes to disk is little-endian.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace seriesdb {

using Bytes = std::span<const std::uint8_t>;
using ByteBuffer = std::vector<std::uint8_t>;

inline Bytes asBytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
inline std::string_view asText(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Loads a fixed-width value from memory that may be unaligned.
// REQUIRES: sizeof(T) readable bytes at `from`. (The machine is little-endian.)
template <typename T>
T loadLe(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}
template <typename T>
void storeLe(void* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

template <typename T>
void appendLe(ByteBuffer& out, T value) {
  const auto at = out.size();
  out.resize(at + sizeof(T));
  storeLe(out.data() + at, value);
}
inline void appendBytes(ByteBuffer& out, Bytes bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

// a - b modulo 2^64, so any two values have a difference.
inline std::uint64_t difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b);
}
// Maps signed integers of small magnitude to small unsigned ones.
inline std::uint64_t zigzag(std::int64_t v) {
  return (static_cast<std::uint64_t>(v) << 1) ^ static_cast<std::uint64_t>(v >> 63);
}
inline std::int64_t unzigzag(std::uint64_t v) {
  return static_cast<std::int64_t>(v >> 1) ^ -static_cast<std::int64_t>(v & 1);
}

// LEB128, at most 10 bytes.
inline constexpr std::size_t kVarintSizeMax = 10;
inline std::size_t varintSize(std::uint64_t value) {
  return (static_cast<std::size_t>(std::bit_width(value | 1)) + 6) / 7;
}
inline std::uint8_t* writeVarint(std::uint8_t* to, std::uint64_t value) {
  while (value >= 0x80) {
    *to++ = static_cast<std::uint8_t>(value | 0x80);
    value >>= 7;
  }
  *to++ = static_cast<std::uint8_t>(value);
  return to;
}
inline void appendVarint(ByteBuffer& out, std::uint64_t value) {
  std::uint8_t scratch[kVarintSizeMax];
  std::uint8_t* end = writeVarint(scratch, value);
  out.insert(out.end(), scratch, end);
}
// Appends the length as a varint, then the bytes.
inline void appendText(ByteBuffer& out, std::string_view text) {
  appendVarint(out, text.size());
  appendBytes(out, asBytes(text));
}

// Reads untrusted bytes front to back. After the first read past the end (or a
// malformed varint) ok() is false for ever and every read gives zero or empty.
class ByteReader {
 public:
  explicit ByteReader(Bytes bytes) : rest_(bytes) {}

  bool ok() const { return ok_; }
  bool atEnd() const { return rest_.empty(); }
  Bytes rest() const { return rest_; }

  template <typename T>
  T readLe() {
    if (!need(sizeof(T))) return T{};
    const T value = loadLe<T>(rest_.data());
    rest_ = rest_.subspan(sizeof(T));
    return value;
  }
  std::uint64_t readVarint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      if (!need(1)) return 0;
      const std::uint8_t byte = rest_[0];
      rest_ = rest_.subspan(1);
      if (shift == 63 && byte > 1) break;
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    fail();
    return 0;
  }
  Bytes readBytes(std::uint64_t size) {
    if (!need(size)) return {};
    const Bytes bytes = rest_.first(static_cast<std::size_t>(size));
    rest_ = rest_.subspan(static_cast<std::size_t>(size));
    return bytes;
  }
  std::string_view readText() { return asText(readBytes(readVarint())); }

 private:
  bool need(std::uint64_t size) {
    if (ok_ && rest_.size() >= size) return true;
    fail();
    return false;
  }
  void fail() {
    ok_ = false;
    rest_ = {};
  }
  Bytes rest_;
  bool ok_ = true;
};

}  // namespace seriesdb
