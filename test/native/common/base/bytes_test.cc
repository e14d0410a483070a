#include "common/base/bytes.h"

#include <limits>

#include "harness.h"

using namespace seriesdb;

TEST("varints and zigzag numbers round-trip at every power of two") {
  for (unsigned bit = 0; bit < 64; ++bit) {
    for (const std::uint64_t delta : {0ull, 1ull, ~0ull}) {
      const std::uint64_t value = (std::uint64_t{1} << bit) + delta;
      ByteBuffer out;
      appendVarint(out, value);
      EXPECT(out.size() <= kVarintSizeMax);
      ByteReader reader(out);
      EXPECT(reader.readVarint() == value);
      EXPECT(reader.ok() && reader.atEnd());
      EXPECT(zigzag(unzigzag(value)) == value);
    }
  }
  EXPECT(unzigzag(zigzag(std::numeric_limits<std::int64_t>::min())) ==
         std::numeric_limits<std::int64_t>::min());
}

TEST("a reader refuses a varint beyond 64 bits and a truncated one") {
  const ByteBuffer tooBig{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
  ByteReader first(tooBig);
  EXPECT(first.readVarint() == 0 && !first.ok());
  const ByteBuffer cut{0x80, 0x80};
  ByteReader second(cut);
  EXPECT(second.readVarint() == 0 && !second.ok());
}

TEST("after its first failure a reader returns only zeros and empty bytes") {
  const ByteBuffer bytes{5, 'a', 'b'};
  ByteReader reader(bytes);
  EXPECT(reader.readText().empty());
  EXPECT(!reader.ok());
  EXPECT(reader.readLe<std::uint8_t>() == 0);
  EXPECT(reader.readBytes(1).empty());
}

TEST("a length near 2^64 does not wrap around the bounds check") {
  ByteBuffer bytes;
  appendVarint(bytes, std::numeric_limits<std::uint64_t>::max());
  bytes.push_back('x');
  ByteReader reader(bytes);
  EXPECT(reader.readText().empty());
  EXPECT(!reader.ok());
}
