// XOR (Gorilla, VLDB 2015, section 4.1.2): each value's bits are XORed with the previous ones.
//
//   0                                       the same bits
//   10  bits                                the changed bits lie in the last window
//   11  leading (5)  length - 1 (6)  bits   a new window
//
// A departure from the paper: the window is also renewed if the old one wastes more than 11 bits. A
// new window costs about as much. The paper's rule keeps a window wide for ever after one outlier.
#include <algorithm>
#include <array>
#include <bit>

#include "format/codec/bit_stream.h"
#include "format/codec/value_codecs.h"

namespace seriesdb {
namespace {

constexpr unsigned kLeadingMax = 31;
constexpr unsigned kWasteMax = 11;

struct XorWindow {
  unsigned leading = 0;
  unsigned length = 0;
  unsigned trailing() const { return 64 - leading - length; }
};

void writeChange(std::uint64_t change, XorWindow& window, BitWriter& writer) {
  const unsigned leading = std::min(static_cast<unsigned>(std::countl_zero(change)), kLeadingMax);
  const unsigned trailing = static_cast<unsigned>(std::countr_zero(change));
  const unsigned length = 64 - leading - trailing;
  const bool fits = window.length > 0 && leading >= window.leading && trailing >= window.trailing();
  if (fits && window.length - length <= kWasteMax) {
    writer.write(0b10, 2);
  } else {
    window = {leading, length};
    writer.write(std::uint64_t{0b11} << 11 | std::uint64_t{leading} << 6 | (length - 1), 13);
  }
  writer.write(change >> window.trailing(), window.length);
}

}  // namespace

bool appendXor(std::span<const double> values, std::size_t sizeMax, ByteBuffer& out) {
  // A value takes at most 77 bits.
  const std::size_t start = out.size();
  out.resize(start + values.size() * 10 + 16);
  BitWriter writer(out.data() + start);
  auto previous = std::bit_cast<std::uint64_t>(values[0]);
  writer.write(previous, 64);
  XorWindow window;
  for (const double value : values.subspan(1)) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    if (bits == previous) {
      writer.write(0, 1);
    } else {
      writeChange(bits ^ previous, window, writer);
    }
    previous = bits;
  }
  const auto size = static_cast<std::size_t>(writer.finish() - (out.data() + start));
  const bool isSmall = size < sizeMax;
  out.resize(isSmall ? start + size : start);
  return isSmall;
}

bool decodeXor(Bytes payload, std::span<double> values) {
  constexpr std::uint64_t kTop = std::uint64_t{1} << 63;
  BitReader reader(payload);
  std::uint64_t bits = reader.read(64);
  values[0] = std::bit_cast<double>(bits);
  XorWindow window;
  for (double& value : values.subspan(1)) {
    const std::uint64_t head = reader.peek();
    if ((head & kTop) == 0) {
      reader.skip(1);
    } else {
      if ((head & (kTop >> 1)) == 0) {
        reader.skip(2);
      } else {
        reader.skip(13);
        window.leading = static_cast<unsigned>(head >> 57) & kLeadingMax;
        window.length = (static_cast<unsigned>(head >> 51) & 63) + 1;
      }
      if (window.length == 0 || window.leading + window.length > 64) return false;
      bits ^= reader.read(window.length) << window.trailing();
    }
    value = std::bit_cast<double>(bits);
  }
  return !reader.isPastEnd() && reader.isAtEnd();
}

}  // namespace seriesdb
