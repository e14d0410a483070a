#include "common/digest/checksum.h"

#include <random>

#include "common/digest/checksum_kernels.h"
#include "harness.h"

using namespace seriesdb;

namespace {

ByteBuffer randomBytes(std::mt19937_64& random, std::size_t size) {
  ByteBuffer bytes(size);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

}  // namespace

TEST("crc32c gives the check values of RFC 3720 and of the catalogue") {
  EXPECT(crc32c({}) == 0);
  EXPECT(crc32c(asBytes("123456789")) == 0xE3069283);
  EXPECT(crc32c(ByteBuffer(32, 0x00)) == 0x8A9136AA);
  EXPECT(crc32c(ByteBuffer(32, 0xff)) == 0x62A8AB43);
  ByteBuffer rising(32);
  for (std::size_t i = 0; i < rising.size(); ++i) rising[i] = static_cast<std::uint8_t>(i);
  EXPECT(crc32c(rising) == 0x46DD794E);
}

TEST("the portable crc32c gives the check value too") {
  EXPECT(checksum_kernels::crc32cPortable(asBytes("123456789"), 0) == 0xE3069283);
}

#if defined(__x86_64__)
TEST("the SSE4.2 crc32c agrees with the portable one at every size, alignment and seed") {
  if (!__builtin_cpu_supports("sse4.2")) return;
  std::mt19937_64 random(test::seed());
  const ByteBuffer bytes = randomBytes(random, 20000);
  const auto agree = [&](std::size_t from, std::size_t size) {
    const Bytes part = Bytes(bytes).subspan(from, size);
    const auto seed = static_cast<std::uint32_t>(random());
    return checksum_kernels::crc32cPortable(part, seed) ==
           checksum_kernels::crc32cSse42(part, seed);
  };
  for (std::size_t size = 0; size < 1300; ++size) EXPECT(agree(size % 17, size));
  for (std::size_t size = 6100; size < 6200; ++size) EXPECT(agree(size % 13, size));
  for (int i = 0; i < 500; ++i) EXPECT(agree(random() % 100, random() % 19900));
}
#endif

TEST("crc32c continued from a seed equals that of the whole") {
  std::mt19937_64 random(test::seed());
  const ByteBuffer bytes = randomBytes(random, 5000);
  const std::uint32_t whole = crc32c(bytes);
  for (std::size_t cut = 0; cut <= bytes.size(); cut += 37) {
    const std::uint32_t first = crc32c(Bytes(bytes).first(cut));
    EXPECT(crc32c(Bytes(bytes).subspan(cut), first) == whole);
  }
}

TEST("crc32cShift joins the checksums of two parts into that of the whole") {
  std::mt19937_64 random(test::seed());
  const ByteBuffer bytes = randomBytes(random, 5000);
  const std::uint32_t whole = crc32c(bytes);
  for (std::size_t cut = 0; cut <= bytes.size(); cut += 41) {
    const std::uint32_t first = crc32c(Bytes(bytes).first(cut));
    const std::uint32_t second = crc32c(Bytes(bytes).subspan(cut));
    EXPECT((crc32cShift(first, bytes.size() - cut) ^ second) == whole);
  }
}
