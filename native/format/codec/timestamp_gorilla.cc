// Delta of delta (Gorilla, VLDB 2015, section 4.1.1), with wider classes for any time unit.
//
//   first difference (varint), then for each later one the change of the difference:
//   0                    no change
//   10     7 bits        zigzag of the change
//   110   12 bits
//   1110  20 bits
//   11110 32 bits
//   11111 64 bits
#include <array>
#include <bit>

#include "common/base/check.h"
#include "format/codec/bit_stream.h"
#include "format/codec/timestamp_codecs.h"

namespace seriesdb {
namespace {

struct Class {
  unsigned prefix;
  unsigned prefixLength;
  unsigned length;
};
constexpr std::array<Class, 5> kClasses = {
    {{0b10, 2, 7}, {0b110, 3, 12}, {0b1110, 4, 20}, {0b11110, 5, 32}, {0b11111, 5, 64}}};

const Class& classOf(std::uint64_t change) {
  const unsigned width = 64 - static_cast<unsigned>(std::countl_zero(change));
  std::size_t at = 0;
  while (width > kClasses[at].length) ++at;
  return kClasses[at];
}

std::uint64_t changeBetween(std::int64_t before, std::int64_t after) {
  return zigzag(static_cast<std::int64_t>(static_cast<std::uint64_t>(after) -
                                          static_cast<std::uint64_t>(before)));
}

}  // namespace

std::size_t deltaOfDeltaSize(std::span<const std::int64_t> deltas) {
  std::uint8_t scratch[kVarintSizeMax];
  const auto* end = writeVarint(scratch, static_cast<std::uint64_t>(deltas[0]));
  std::size_t bits = 0;
  for (std::size_t i = 1; i < deltas.size(); ++i) {
    const std::uint64_t change = changeBetween(deltas[i - 1], deltas[i]);
    if (change == 0) {
      ++bits;
    } else {
      const Class& chosen = classOf(change);
      bits += chosen.prefixLength + chosen.length;
    }
  }
  return static_cast<std::size_t>(end - scratch) + (bits + 7) / 8;
}

void appendDeltaOfDelta(std::span<const std::int64_t> deltas, ByteBuffer& out) {
  const std::size_t end = out.size() + deltaOfDeltaSize(deltas);
  appendVarint(out, static_cast<std::uint64_t>(deltas[0]));
  const std::size_t start = out.size();
  out.resize(end + 8);
  BitWriter writer(out.data() + start);
  for (std::size_t i = 1; i < deltas.size(); ++i) {
    const std::uint64_t change = changeBetween(deltas[i - 1], deltas[i]);
    if (change == 0) {
      writer.write(0, 1);
      continue;
    }
    const Class& chosen = classOf(change);
    writer.write(chosen.prefix, chosen.prefixLength);
    writer.write(change, chosen.length);
  }
  CHECK(writer.finish() == out.data() + end);
  out.resize(end);
}

bool decodeDeltaOfDelta(Bytes payload, std::span<Timestamp> ts) {
  ByteReader in(payload);
  std::uint64_t delta = in.readVarint();
  if (!in.ok() || ts.size() < 2) return false;
  auto now = static_cast<std::uint64_t>(ts[0]) + delta;
  ts[1] = static_cast<Timestamp>(now);
  bool ascends = ts[0] < ts[1];
  BitReader reader(in.rest());
  for (Timestamp& next : ts.subspan(2)) {
    const std::uint64_t head = reader.peek();
    const auto ones = static_cast<unsigned>(std::countl_one(head));
    if (ones == 0) {
      reader.skip(1);
    } else {
      const Class& chosen = kClasses[ones < 5 ? ones - 1 : 4];
      reader.skip(chosen.prefixLength);
      delta += static_cast<std::uint64_t>(unzigzag(reader.read(chosen.length)));
    }
    const auto previous = static_cast<Timestamp>(now);
    now += delta;
    next = static_cast<Timestamp>(now);
    ascends &= previous < next;
  }
  return ascends && !reader.isPastEnd() && reader.isAtEnd();
}

}  // namespace seriesdb
