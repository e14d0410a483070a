#include "query/remote_read/xor_chunk.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "common/base/bytes.h"
#include "common/base/check.h"
#include "format/codec/bit_stream.h"

namespace seriesdb {
namespace {

constexpr unsigned kChunkLeadingMax = 31;

// A prefix code for differences of `size` bits: `mark` stands in front of the difference.
struct MarkedBits {
  std::uint64_t mark;
  unsigned markSize;
  unsigned size;
};
constexpr MarkedBits kTimes[] = {{0b10, 2, 14}, {0b110, 3, 17}, {0b1110, 4, 20}};

// REQUIRES: d is not 0. A zero takes one bit, which is written with the value.
void writeTime(BitWriter& bits, std::int64_t d) {
  for (const auto& [mark, markSize, size] : kTimes) {
    const std::int64_t half = std::int64_t{1} << (size - 1);
    if (d <= -half || d > half) continue;
    const std::uint64_t mask = (std::uint64_t{1} << size) - 1;
    return bits.write(mark << size | (static_cast<std::uint64_t>(d) & mask), markSize + size);
  }
  bits.write(0b1111, 4);
  bits.write(static_cast<std::uint64_t>(d), 64);
}

class ValueBits {
 public:
  explicit ValueBits(double first) : last_(std::bit_cast<std::uint64_t>(first)) {}

  // Writes `zeros` bits of 0 first, at most one, so that one word takes both.
  void write(BitWriter& bits, unsigned zeros, double value) {
    const auto next = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t change = next ^ std::exchange(last_, next);
    if (change == 0) return bits.write(0, zeros + 1);
    const unsigned leading =
        std::min(static_cast<unsigned>(std::countl_zero(change)), kChunkLeadingMax);
    const auto trailing = static_cast<unsigned>(std::countr_zero(change));
    if (leading >= leading_ && trailing >= trailing_) {
      const MarkedBits within = {0b10, zeros + 2, 64 - leading_ - trailing_};
      return writeMarked(bits, within, change >> trailing_);
    }
    leading_ = leading;
    trailing_ = trailing;
    const unsigned size = 64 - leading - trailing;
    const std::uint64_t mark = std::uint64_t{0b11} << 11 | leading << 6 | (size & 63);
    writeMarked(bits, {mark, zeros + 13, size}, change >> trailing);
  }

 private:
  // Uses one write if a word holds both.
  static void writeMarked(BitWriter& bits, const MarkedBits& how, std::uint64_t content) {
    const auto [mark, markSize, size] = how;
    if (markSize + size <= 64) return bits.write(mark << size | content, markSize + size);
    bits.write(mark, markSize);
    bits.write(content, size);
  }

  std::uint64_t last_;
  unsigned leading_ = 64;  // Larger than any count of leading zeros: there is no window yet.
  unsigned trailing_ = 0;
};

}  // namespace

std::uint8_t* writeXorChunk(std::uint8_t* to, std::span<const std::int64_t> ms,
                            std::span<const double> values) {
  CHECK(!ms.empty() && ms.size() <= kXorChunkSamplesMax && values.size() == ms.size());
  storeLe(to, __builtin_bswap16(static_cast<std::uint16_t>(ms.size())));
  to = writeVarint(to + sizeof(std::uint16_t), zigzag(ms[0]));
  storeLe(to, __builtin_bswap64(std::bit_cast<std::uint64_t>(values[0])));
  to += sizeof(double);
  if (ms.size() == 1) return to;

  std::uint64_t delta = difference(ms[1], ms[0]);
  // Everything before is whole bytes.
  BitWriter bits(writeVarint(to, delta));
  ValueBits value(values[0]);
  value.write(bits, 0, values[1]);
  for (std::size_t i = 2; i < ms.size(); ++i) {
    const std::uint64_t next = difference(ms[i], ms[i - 1]);
    if (next != delta) writeTime(bits, static_cast<std::int64_t>(next - delta));
    value.write(bits, next == delta ? 1 : 0, values[i]);
    delta = next;
  }
  return bits.finish();
}

}  // namespace seriesdb
