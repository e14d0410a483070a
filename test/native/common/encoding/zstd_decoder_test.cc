// The decoder of zstd bodies: any split of the bytes, bounded pieces, and damage is refused.
#include "common/encoding/zstd_decoder.h"

#include <random>
#include <string>

#include "harness.h"

using namespace seriesdb;

namespace {

// A frame of one block: raw content, or one byte repeated `runSize` times.
ByteBuffer frame(std::uint8_t windowLog, Bytes content, std::uint32_t runSize = 0) {
  ByteBuffer out{0x28, 0xb5, 0x2f, 0xfd, 0, static_cast<std::uint8_t>((windowLog - 10) << 3)};
  const auto size = runSize > 0 ? runSize : static_cast<std::uint32_t>(content.size());
  const std::uint32_t head = (size << 3) | (runSize > 0 ? 2u : 0u) | 1u;
  for (const int shift : {0, 8, 16}) out.push_back(static_cast<std::uint8_t>(head >> shift));
  appendBytes(out, content);
  return out;
}

// Appends all text that can be decoded so far.
Status drain(ZstdDecoder& decoder, std::string& text) {
  Bytes piece;
  for (;;) {
    const Status decoded = decoder.next(piece);
    if (!decoded.ok() || (piece.empty() && decoder.needsInput())) return decoded;
    EXPECT(piece.size() <= ZstdDecoder::kPieceSizeMax);
    text += asText(piece);
  }
}

}  // namespace

TEST("a zstd body decodes to the same text whole and byte by byte") {
  ByteBuffer body = frame(17, asBytes("hello "));
  appendBytes(body, frame(17, {}));
  appendBytes(body, frame(17, asBytes("world")));
  ZstdDecoder whole;
  std::string text;
  EXPECT(whole.isWhole());
  whole.write(body);
  REQUIRE(drain(whole, text).ok());
  EXPECT(text == "hello world");
  EXPECT(whole.isWhole());

  ZstdDecoder slow;
  text.clear();
  std::size_t wholeCount = 0;
  for (const std::uint8_t one : body) {
    slow.write({&one, 1});
    REQUIRE(drain(slow, text).ok());
    wholeCount += slow.isWhole() ? 1 : 0;
  }
  EXPECT(text == "hello world");
  EXPECT(wholeCount == 3);
}

TEST("a highly compressed zstd body comes in pieces, in bounded memory") {
  ByteBuffer body;
  for (int i = 0; i < 500; ++i) appendBytes(body, frame(17, asBytes("a"), 131072));
  ZstdDecoder decoder;
  decoder.write(body);
  Bytes piece;
  std::uint64_t size = 0;
  do {
    REQUIRE(decoder.next(piece).ok());
    EXPECT(piece.size() <= ZstdDecoder::kPieceSizeMax);
    size += piece.size();
  } while (!piece.empty());
  EXPECT(size == std::uint64_t{500} * 131072);
  EXPECT(decoder.isWhole());
  EXPECT(decoder.memoryBytes() < (std::size_t{2} << 20));
}

TEST("empty frames and blocks are skipped in bounded steps") {
  ByteBuffer body;
  for (int i = 0; i < 10 * ZstdDecoder::kFramesMax; ++i) appendBytes(body, frame(17, {}));
  ByteBuffer blocks = frame(17, {});
  blocks.resize(blocks.size() - 3);
  blocks.resize(blocks.size() + 12 * ZstdDecoder::kInputMax);
  appendBytes(body, blocks);
  appendBytes(body, Bytes(frame(17, asBytes("x"))).subspan(6));
  ZstdDecoder decoder;
  decoder.write(body);
  Bytes piece;
  int steps = 0;
  for (; piece.empty(); ++steps) {
    REQUIRE(steps < 100);
    REQUIRE(decoder.next(piece).ok());
    EXPECT(!decoder.needsInput());
  }
  EXPECT(asText(piece) == "x");
  EXPECT(steps >= 20);
  REQUIRE(decoder.next(piece).ok());
  EXPECT(piece.empty() && decoder.needsInput() && decoder.isWhole());
}

TEST("a zstd window past the limit and damage end the decoding for good") {
  std::string text;
  ZstdDecoder largest;
  largest.write(frame(ZstdDecoder::kWindowLog, asBytes("x")));
  EXPECT(drain(largest, text).ok());
  EXPECT(text == "x");
  ZstdDecoder larger;
  larger.write(frame(ZstdDecoder::kWindowLog + 1, asBytes("x")));
  EXPECT(drain(larger, text).code() == StatusCode::kPayloadTooLarge);

  ZstdDecoder damaged;
  damaged.write(asBytes("this is text"));
  EXPECT(!drain(damaged, text).ok());
  damaged.write(frame(17, asBytes("x")));
  EXPECT(!drain(damaged, text).ok());
  EXPECT(text == "x");
}

TEST("a damaged zstd body decodes to a text of bounded size or is refused") {
  std::mt19937_64 random(seriesdb::test::seed());
  ByteBuffer body = frame(17, asBytes(std::string(500, 'q')));
  appendBytes(body, frame(17, asBytes("z"), 100'000));
  for (int round = 0; round < seriesdb::test::rounds(3000); ++round) {
    ByteBuffer mutant = body;
    for (int i = 0; i < 3; ++i) {
      mutant[random() % mutant.size()] = static_cast<std::uint8_t>(random());
    }
    ZstdDecoder decoder;
    decoder.write(mutant);
    std::string text;
    static_cast<void>(drain(decoder, text).ok());
    EXPECT(text.size() < (std::size_t{1} << 20));
  }
}
