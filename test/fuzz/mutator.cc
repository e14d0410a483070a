#include "mutator.h"

#include <algorithm>
#include <array>
#include <limits>

namespace seriesdb::fuzz {
namespace {

constexpr std::array<std::uint64_t, 22> kEdges = {
    0,          1,          2,          0x7f,       0x80,
    0xff,       0x100,      0x7fff,     0xffff,     0x10000,
    0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 0x100000000,
    1ull << 53, 1ull << 62, INT64_MAX,  1ull << 63, UINT64_MAX - 1,
    UINT64_MAX, 8192,
};

std::size_t below(std::size_t limit, Random& random) {
  return static_cast<std::size_t>(random() % limit);
}

// Mostly short, now and then any.
std::size_t anyLength(std::size_t limit, Random& random) {
  const std::size_t most = random() % 4 == 0 ? limit : std::min<std::size_t>(limit, 12);
  return 1 + below(most, random);
}

// An edge, or a number close to one.
std::uint64_t anyEdge(Random& random) {
  const std::uint64_t edge = kEdges[below(kEdges.size(), random)];
  return random() % 3 == 0 ? edge + random() % 7 - 3 : edge;
}

std::ptrdiff_t place(std::size_t at) { return static_cast<std::ptrdiff_t>(at); }

void insert(ByteBuffer& input, std::size_t at, Bytes piece) {
  const std::size_t room = kInputSizeMax - std::min(kInputSizeMax, input.size());
  const Bytes kept = piece.first(std::min(room, piece.size()));
  input.insert(input.begin() + place(at), kept.begin(), kept.end());
}

void overwrite(ByteBuffer& input, std::size_t at, Bytes piece) {
  const std::size_t size = std::min(piece.size(), input.size() - at);
  std::copy_n(piece.begin(), size, input.begin() + place(at));
}

void put(ByteBuffer& input, Bytes piece, Random& random) {
  const std::size_t at = below(input.size() + 1, random);
  if (random() % 2 == 0) return insert(input, at, piece);
  overwrite(input, at, piece);
}

// A fixed-width integer over one that may be there.
void writeInteger(ByteBuffer& input, Random& random) {
  const std::size_t width = std::size_t{1} << below(4, random);
  if (input.size() < width) return;
  const std::size_t at = below(input.size() - width + 1, random);
  std::uint64_t value = 0;
  std::memcpy(&value, input.data() + at, width);
  value = random() % 2 == 0 ? value + random() % 33 - 16 : anyEdge(random);
  std::memcpy(input.data() + at, &value, width);
}

// The varint that begins somewhere becomes another one, of another length.
void writeVarint(ByteBuffer& input, Random& random) {
  if (input.empty()) return;
  const std::size_t at = below(input.size(), random);
  ByteReader reader(Bytes(input).subspan(at));
  const std::uint64_t held = reader.readVarint();
  const std::size_t size = reader.ok() ? input.size() - at - reader.rest().size() : 1;
  ByteBuffer varint;
  appendVarint(varint, random() % 2 == 0 ? held + random() % 9 - 4 : anyEdge(random));
  input.erase(input.begin() + place(at), input.begin() + place(at + size));
  insert(input, at, varint);
}

void removePiece(ByteBuffer& input, Random& random) {
  if (input.empty()) return;
  const std::size_t at = below(input.size(), random);
  const std::size_t size = anyLength(input.size() - at, random);
  input.erase(input.begin() + place(at), input.begin() + place(at + size));
}

void repeatPiece(ByteBuffer& input, Random& random) {
  if (input.empty()) return;
  const std::size_t from = below(input.size(), random);
  const Bytes held = Bytes(input).subspan(from, anyLength(input.size() - from, random));
  const ByteBuffer piece(held.begin(), held.end());
  put(input, piece, random);
}

void takePiece(ByteBuffer& input, Bytes other, Random& random) {
  if (other.empty()) return;
  const std::size_t from = below(other.size(), random);
  put(input, other.subspan(from, anyLength(other.size() - from, random)), random);
}

// The front of one, the end of the other.
void splice(ByteBuffer& input, Bytes other, Random& random) {
  if (other.empty()) return;
  input.resize(below(input.size() + 1, random));
  insert(input, input.size(), other.subspan(below(other.size(), random)));
}

void mutateOnce(ByteBuffer& input, Bytes other, std::span<const std::string_view> words,
                Random& random) {
  if (!words.empty() && random() % 3 == 0) {
    return put(input, asBytes(words[below(words.size(), random)]), random);
  }
  switch (random() % 11) {
    case 0:
    case 1:
      if (!input.empty()) input[below(input.size(), random)] ^= 1u << random() % 8;
      return;
    case 2:
      if (!input.empty()) input[below(input.size(), random)] = static_cast<std::uint8_t>(random());
      return;
    case 3:
    case 4:
      return writeInteger(input, random);
    case 5:
    case 6:
      return writeVarint(input, random);
    case 7:
      return removePiece(input, random);
    case 8:
      return repeatPiece(input, random);
    case 9:
      return takePiece(input, other, random);
    default:
      if (random() % 2 == 0) return splice(input, other, random);
      input.resize(below(input.size() + 1, random));
  }
}

}  // namespace

void mutate(ByteBuffer& input, Bytes other, std::span<const std::string_view> words,
            Random& random) {
  // One change is the likeliest, but some faults need two numbers that agree.
  do {
    mutateOnce(input, other, words, random);
  } while (random() % 3 == 0);
  if (input.size() > kInputSizeMax) input.resize(kInputSizeMax);
}

}  // namespace seriesdb::fuzz
