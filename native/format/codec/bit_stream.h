// Bit streams, most significant bit first, for the XOR and delta-of-delta codecs.
//
// The reader never reads past its bytes: bits behind the end are zeros, and `isPastEnd` tells
// whether some were taken. So a loop over a known count needs one check at its end, not one per
// bit.
#pragma once

#include <bit>
#include <cstdint>

#include "common/base/bytes.h"

namespace seriesdb {

// Writes to memory that the caller has made large enough, including 8 bytes of slack.
class BitWriter {
 public:
  explicit BitWriter(std::uint8_t* to) : to_(to) {}

  // Appends the lowest `count` bits of `bits`. REQUIRES: 1 <= count <= 64, no higher bit set.
  void write(std::uint64_t bits, unsigned count) {
    const unsigned free = 64 - used_;
    if (count < free) {
      pending_ |= bits << (free - count);
      used_ += count;
      return;
    }
    const unsigned left = count - free;
    store(pending_ | (bits >> left));
    to_ += 8;
    // Two shifts, because a shift by 64 is undefined.
    pending_ = left == 0 ? 0 : bits << (64 - left);
    used_ = left;
  }

  // Writes the pending bits, padded with zeros to a byte; returns the end.
  std::uint8_t* finish() {
    store(pending_);
    return to_ + (used_ + 7) / 8;
  }

 private:
  void store(std::uint64_t word) { storeLe(to_, __builtin_bswap64(word)); }

  std::uint8_t* to_;
  std::uint64_t pending_ = 0;
  unsigned used_ = 0;
};

class BitReader {
 public:
  explicit BitReader(Bytes bytes) : bytes_(bytes) {}

  // The next bits, starting at the highest bit; the first 57 are valid.
  std::uint64_t peek() const {
    const std::size_t at = position_ >> 3;
    const unsigned shift = position_ & 7;
    if (at + 8 <= bytes_.size()) [[likely]] {
      return __builtin_bswap64(loadLe<std::uint64_t>(bytes_.data() + at)) << shift;
    }
    return peekNearEnd(at) << shift;
  }
  void skip(unsigned count) { position_ += count; }

  // REQUIRES: 1 <= count <= 64
  std::uint64_t read(unsigned count) {
    const std::uint64_t high = peek();
    if (count <= 57) {
      skip(count);
      return high >> (64 - count);
    }
    skip(32);
    const std::uint64_t low = peek();
    skip(count - 32);
    return (high >> 32) << (count - 32) | low >> (96 - count);
  }

  bool isPastEnd() const { return position_ > bytes_.size() * 8; }
  // True if the last bit read lies in the last byte.
  bool isAtEnd() const { return (position_ + 7) / 8 == bytes_.size(); }

 private:
  std::uint64_t peekNearEnd(std::size_t at) const {
    std::uint64_t word = 0;
    for (std::size_t i = at; i < bytes_.size() && i < at + 8; ++i) {
      word |= std::uint64_t{bytes_[i]} << (56 - 8 * (i - at));
    }
    return word;
  }

  Bytes bytes_;
  std::size_t position_ = 0;
};

}  // namespace seriesdb
