// Packed bytes: every input round-trips, and bytes that no encoder wrote are refused.
#include "common/encoding/packed.h"

#include <random>
#include <string>

#include "common/encoding/snappy_encoder.h"
#include "harness.h"

using namespace seriesdb;

namespace {

ByteBuffer someBytes(std::mt19937_64& random) {
  ByteBuffer bytes;
  while (random() % 12 != 0) {
    const std::string label = "host" + std::to_string(random() % 40);
    appendBytes(bytes, asBytes(label));
    if (random() % 4 == 0) bytes.push_back(static_cast<std::uint8_t>(random()));
    if (random() % 9 == 0) bytes.insert(bytes.end(), random() % 300'000, bytes.back());
  }
  return bytes;
}

ByteBuffer packed(Bytes plain) {
  ByteBuffer out;
  CHECK(appendPacked(out, plain).ok());
  return out;
}

// Decodes a size and bytes as declared, from memory of exactly that size.
ByteBuffer declared(std::uint64_t size, Bytes stored) {
  ByteBuffer out;
  appendVarint(out, size);
  appendText(out, asText(stored));
  return out;
}

Result<ByteBuffer> unpacked(const ByteBuffer& from) {
  ByteReader reader(from);
  const auto read = readPacked(reader);
  if (!read.ok()) return read.status();
  if (!reader.atEnd()) return Status::corrupt("more behind it");
  return unpack(read.value());
}

bool isRefused(const ByteBuffer& from) {
  return unpacked(from).status().code() == StatusCode::kStorageCorrupt;
}

}  // namespace

TEST("bytes survive packing, and packing adds at most 10 bytes") {
  std::mt19937_64 random(test::seed());
  for (int i = 0; i < 300; ++i) {
    const ByteBuffer plain = someBytes(random);
    const ByteBuffer form = packed(plain);
    EXPECT(form.size() <= plain.size() + 10);
    const auto again = unpacked(form);
    REQUIRE(again.ok());
    EXPECT(again.value() == plain);
  }
  ByteBuffer labels;
  for (int i = 0; i < 1000; ++i) {
    appendBytes(labels, asBytes("cpu.usage host_" + std::to_string(i)));
  }
  EXPECT(packed(labels).size() < labels.size() / 2);
}

TEST("truncated packed bytes are refused at every length") {
  const ByteBuffer whole = packed(asBytes(std::string(5000, 'a') + "b"));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT(isRefused({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}));
  }
}

TEST("packed bytes with an impossible declared size are refused before they are unpacked") {
  const ByteBuffer bytes(30, 7);
  EXPECT(unpacked(declared(30, bytes)).ok());
  EXPECT(isRefused(declared(29, bytes)));
  EXPECT(isRefused(declared(kPackedSizeMax, bytes)));
  EXPECT(isRefused(declared(kPackedSizeMax + 1, bytes)));
  EXPECT(isRefused(declared(UINT64_MAX, bytes)));
  EXPECT(isRefused(declared(23, Bytes(bytes).first(0))));
}

TEST("a packed block whose size differs from the declared size is refused") {
  const std::string text(1000, 'a');
  ByteBuffer block;
  appendSnappy(block, asBytes(text));
  EXPECT(unpacked(declared(1000, block)).ok());
  EXPECT(isRefused(declared(999, block)));
  EXPECT(isRefused(declared(1001, block)));
  block.push_back(0);
  EXPECT(isRefused(declared(1000, block)));
}

TEST("a changed byte is refused, or unpacking still yields the declared size") {
  std::mt19937_64 random(test::seed());
  for (int i = 0; i < 2000; ++i) {
    const ByteBuffer plain = someBytes(random);
    ByteBuffer form = packed(plain);
    form[random() % form.size()] ^= static_cast<std::uint8_t>(1 + random() % 255);
    ByteReader reader(form);
    const auto read = readPacked(reader);
    if (!read.ok()) continue;
    const auto again = unpack(read.value());
    EXPECT(!again.ok() || again.value().size() == read.value().size);
  }
}
