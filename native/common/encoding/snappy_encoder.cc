#include "common/encoding/snappy_encoder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace seriesdb {
namespace {

// Offsets within a block have two bytes.
constexpr std::size_t kFragmentSize = std::size_t{1} << 16;
constexpr unsigned kTableBits = 14;
// The last position in the block of four bytes with a given hash.
using MatchTable = std::array<std::uint16_t, std::size_t{1} << kTableBits>;
constexpr std::size_t kMatchMin = sizeof(std::uint32_t);
// The largest size of one copy element.
constexpr std::size_t kCopySizeMax = 64;
// The step through text that does not repeat grows, so that such text takes less time.
constexpr unsigned kSkipShift = 5;

std::size_t entryOf(std::uint32_t word) { return (word * 0x1e35a7bdu) >> (32 - kTableBits); }

void appendLiteral(ByteBuffer& out, Bytes text) {
  if (text.empty()) return;
  const std::size_t bits = text.size() - 1;
  if (bits < 60) {
    out.push_back(static_cast<std::uint8_t>(bits << 2));
  } else if (bits < 256) {
    out.push_back(60 << 2);
    out.push_back(static_cast<std::uint8_t>(bits));
  } else {
    out.push_back(61 << 2);
    appendLe(out, static_cast<std::uint16_t>(bits));
  }
  appendBytes(out, text);
}

void appendCopyElement(ByteBuffer& out, std::size_t offset, std::size_t size) {
  if (size >= 4 && size < 12 && offset < 2048) {
    out.push_back(static_cast<std::uint8_t>(offset >> 8 << 5 | (size - 4) << 2 | 1));
    out.push_back(static_cast<std::uint8_t>(offset));
    return;
  }
  out.push_back(static_cast<std::uint8_t>((size - 1) << 2 | 2));
  appendLe(out, static_cast<std::uint16_t>(offset));
}

void appendCopy(ByteBuffer& out, std::size_t offset, std::size_t size) {
  // The last two copies share the rest, because a copy of less than four bytes has no short form.
  while (size > kCopySizeMax) {
    const bool isNearlyDone = size < kCopySizeMax + kMatchMin;
    const std::size_t part = isNearlyDone ? kCopySizeMax - kMatchMin : kCopySizeMax;
    appendCopyElement(out, offset, part);
    size -= part;
  }
  appendCopyElement(out, offset, size);
}

// The number of equal bytes at `at` and at the earlier position `from`.
std::size_t matchSize(Bytes block, std::size_t from, std::size_t at) {
  std::size_t size = 0;
  for (; block.size() - at - size >= sizeof(std::uint64_t); size += sizeof(std::uint64_t)) {
    const auto differs =
        loadLe<std::uint64_t>(&block[from + size]) ^ loadLe<std::uint64_t>(&block[at + size]);
    if (differs != 0) return size + static_cast<std::size_t>(std::countr_zero(differs)) / 8;
  }
  while (at + size < block.size() && block[from + size] == block[at + size]) ++size;
  return size;
}

void appendBlock(ByteBuffer& out, Bytes block, MatchTable& table) {
  table.fill(0);
  std::size_t literal = 0;  // The beginning of the literal that is not written yet.
  std::size_t at = 1;
  while (at < block.size() && block.size() - at >= kMatchMin) {
    const auto word = loadLe<std::uint32_t>(&block[at]);
    const std::size_t from = std::exchange(table[entryOf(word)], static_cast<std::uint16_t>(at));
    if (loadLe<std::uint32_t>(&block[from]) != word) {
      at += 1 + ((at - literal) >> kSkipShift);
      continue;
    }
    const std::size_t size = matchSize(block, from, at);
    appendLiteral(out, block.subspan(literal, at - literal));
    appendCopy(out, at - from, size);
    at += size;
    literal = at;
  }
  appendLiteral(out, block.subspan(literal));
}

}  // namespace

void appendSnappy(ByteBuffer& out, Bytes text) {
  appendSnappySize(out, text.size());
  appendSnappyPart(out, text);
}

void appendSnappySize(ByteBuffer& out, std::size_t size) { appendVarint(out, size); }

// Blocks are independent, so a part may end anywhere.
void appendSnappyPart(ByteBuffer& out, Bytes part) {
  MatchTable table;
  while (!part.empty()) {
    const std::size_t size = std::min(part.size(), kFragmentSize);
    appendBlock(out, part.first(size), table);
    part = part.subspan(size);
  }
}

}  // namespace seriesdb
