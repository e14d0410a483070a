// Snappy's block format: known bytes, round trips of random text, and damage is refused.
#include <random>
#include <string>

#include "common/encoding/snappy_decoder.h"
#include "common/encoding/snappy_encoder.h"
#include "harness.h"

using namespace seriesdb;

namespace {

constexpr std::size_t kTextSizeMax = std::size_t{4} << 20;

std::string textOf(std::initializer_list<int> bytes) {
  std::string text;
  for (const int byte : bytes) text += static_cast<char>(byte);
  return text;
}

struct Decoded {
  std::string text;
  Status status;
};

// Decodes the body in parts of `partSize`, each in memory of exactly its size.
Decoded decode(std::string_view body, std::size_t partSize = SIZE_MAX,
               std::size_t textSizeMax = kTextSizeMax) {
  SnappyDecoder decoder(textSizeMax);
  Decoded found;
  Bytes piece;
  while (!body.empty() && found.status.ok()) {
    const ByteBuffer part(
        body.begin(), body.begin() + static_cast<std::ptrdiff_t>(std::min(partSize, body.size())));
    decoder.write(part);
    body.remove_prefix(part.size());
    do {
      found.status = decoder.next(piece);
      EXPECT(piece.size() <= PieceDecoder::kPieceSizeMax);
      found.text += asText(piece);
    } while (found.status.ok() && !decoder.needsInput());
  }
  if (found.status.ok()) found.status = decoder.finish();
  return found;
}

bool isRefused(std::string_view body) {
  return decode(body).status.code() == StatusCode::kInvalidArgument &&
         decode(body, 1).status.code() == StatusCode::kInvalidArgument;
}

std::string encode(std::string_view text) {
  ByteBuffer out;
  appendSnappy(out, asBytes(text));
  return std::string(asText(out));
}

// Text that repeats earlier text, near and far, between bytes of few values or many.
std::string randomText(std::mt19937_64& random) {
  std::string text;
  const std::size_t size = random() % (random() % 8 == 0 ? 300'000 : 3000);
  const std::size_t kinds = 1 + random() % (random() % 2 == 0 ? 3 : 256);
  while (text.size() < size) {
    const std::size_t part = 1 + random() % (random() % 8 == 0 ? 400 : 40);
    if (!text.empty() && random() % 2 == 0) {
      const bool isFar = random() % 3 == 0;
      const std::size_t reach = isFar ? text.size() : std::min<std::size_t>(text.size(), 40);
      const std::size_t from = text.size() - 1 - random() % reach;
      for (std::size_t i = 0; i < part; ++i) text += text[from + i];
    } else {
      for (std::size_t i = 0; i < part; ++i) text += static_cast<char>(random() % kinds);
    }
  }
  return text;
}

}  // namespace

TEST("hand-written snappy bytes decode to the expected text") {
  EXPECT(decode(textOf({0})).text.empty());
  EXPECT(decode(textOf({0})).status.ok());
  EXPECT(decode(textOf({5, 4 << 2}) + "hello").text == "hello");
  // Copies with an offset of one, two and four bytes; the last copy overlaps itself.
  const std::string copies = textOf({20, 3 << 2}) + "abcd" + textOf({1, 4}) +
                             textOf({3 << 2 | 2, 8, 0}) + textOf({7 << 2 | 3, 1, 0, 0, 0});
  EXPECT(decode(copies).text == "abcdabcdabcddddddddd");
  // Literals whose size takes one to four bytes after the tag.
  for (int bytes = 1; bytes <= 4; ++bytes) {
    std::string body = textOf({70, (59 + bytes) << 2, 69});
    body.append(static_cast<std::size_t>(bytes - 1), '\0');
    const std::string text(70, static_cast<char>('a' + bytes));
    EXPECT(decode(body + text).text == text);
    EXPECT(decode(body + text, 1).text == text);
  }
}

TEST("a body of another snappy encoder is decoded") {
  // Encoded by snappyjs 0.7.0.
  constexpr std::string_view kHex =
      "bc02f04257696b697065646961206973206120667265652c207765622d62617365642c20636f6c6c61626f7261"
      "746976652c206d756c74696c696e6775616c20656e6379636c6f093f2070726f6a6563742e2032520009500861"
      "6e6419540c2e206162fe0200fe0200fe02000902";
  std::string body;
  for (std::size_t i = 0; i < kHex.size(); i += 2) {
    body += static_cast<char>(std::stoi(std::string(kHex.substr(i, 2)), nullptr, 16));
  }
  std::string text =
      "Wikipedia is a free, web-based, collaborative, multilingual encyclopedia project. "
      "Wikipedia is free, and web-based. ";
  for (int i = 0; i < 100; ++i) text += "ab";
  EXPECT(decode(body).text == text);
  EXPECT(decode(body, 1).text == text);
  EXPECT(decode(body).status.ok());
}

TEST("a snappy body that contradicts its own sizes or offsets is refused") {
  EXPECT(isRefused(textOf({4, 4 << 2}) + "hello"));      // Longer than the declared size.
  EXPECT(isRefused(textOf({6, 4 << 2}) + "hello"));      // Shorter than the declared size.
  EXPECT(isRefused(textOf({6, 5 << 2}) + "hello"));      // Cut within a literal.
  EXPECT(isRefused(textOf({9, 4 << 2}) + "hello\x01"));  // Cut within a tag.
  EXPECT(isRefused(textOf({0x85})));                     // Cut within the size.
  EXPECT(isRefused(textOf({5, 4 << 2}) + "hello" + textOf({1, 1})));
  EXPECT(isRefused(textOf({5, 4 << 2}) + "hello" + textOf({0})));
  EXPECT(isRefused(textOf({9, 4 << 2}) + "hello" + textOf({1, 0})));  // A copy with offset 0.
  // A copy from before the start of the text.
  EXPECT(isRefused(textOf({9, 4 << 2}) + "hello" + textOf({1, 6})));
  EXPECT(isRefused(textOf({4, 1, 1})));
  EXPECT(isRefused(textOf({0xff, 0xff, 0xff, 0xff, 0x10, 0})));
  EXPECT(isRefused(textOf({0xff, 0xff, 0xff, 0xff, 0xff, 1})));
  EXPECT(isRefused("this is text"));
  EXPECT(decode({}).status.ok());
}

TEST("the declared size of a snappy body is limited before any byte is decoded") {
  const std::string text(1000, 'x');
  EXPECT(decode(encode(text), SIZE_MAX, 1000).status.ok());
  EXPECT(decode(encode(text), SIZE_MAX, 999).status.code() == StatusCode::kPayloadTooLarge);
  SnappyDecoder decoder(999);
  Bytes piece;
  decoder.write(asBytes(encode(text)).first(2));
  EXPECT(decoder.next(piece).code() == StatusCode::kPayloadTooLarge);
  EXPECT(decoder.next(piece).code() == StatusCode::kPayloadTooLarge);
  // A large allowed size takes memory only as text arrives.
  SnappyDecoder large(std::size_t{1} << 30);
  ByteBuffer head;
  appendVarint(head, std::uint64_t{1} << 30);
  large.write(head);
  EXPECT(large.next(piece).ok());
  EXPECT(large.memoryBytes() < (std::size_t{2} << 20));
}

TEST("a long snappy text comes in pieces, with copies from any distance") {
  std::mt19937_64 random(seriesdb::test::seed());
  std::string text;
  while (text.size() < 700'000) text += static_cast<char>(random());
  ByteBuffer body;
  appendVarint(body, text.size() + 64);
  // A copy that spans 699'999 bytes and one more.
  body.insert(body.end(), {63 << 2, 0x5f, 0xae, 0x0a, 0});
  appendBytes(body, asBytes(text));
  body.push_back(63 << 2 | 3);
  appendLe(body, static_cast<std::uint32_t>(text.size()));
  const std::string expected = text + text.substr(0, 64);
  for (const std::size_t partSize : {SIZE_MAX, std::size_t{1000}, std::size_t{65'536}}) {
    const Decoded found = decode(asText(body), partSize);
    EXPECT(found.status.ok());
    EXPECT(found.text == expected);
  }
}

TEST("the decoder reads what the snappy encoder writes, whole or in pieces") {
  std::mt19937_64 random(seriesdb::test::seed());
  for (int round = 0; round < seriesdb::test::rounds(600); ++round) {
    const std::string text = randomText(random);
    const std::string body = encode(text);
    EXPECT(body.size() <= 32 + text.size() + text.size() / 6);
    const Decoded whole = decode(body);
    REQUIRE(whole.status.ok());
    REQUIRE(whole.text == text);
    const Decoded parts = decode(body, 1 + random() % (body.size() < 5000 ? 20 : 5000));
    REQUIRE(parts.status.ok());
    REQUIRE(parts.text == text);
  }
  EXPECT(encode(std::string(65'536, 'q')).size() < 4000);
}

TEST("a damaged snappy body gives the same result whole and in pieces") {
  std::mt19937_64 random(seriesdb::test::seed());
  for (int round = 0; round < seriesdb::test::rounds(3000); ++round) {
    std::string body = encode(randomText(random).substr(0, 2000));
    const std::size_t damage = 1 + random() % 4;
    for (std::size_t i = 0; i < damage; ++i) {
      body[random() % body.size()] = static_cast<char>(random());
    }
    if (random() % 4 == 0) body.resize(random() % body.size());
    const Decoded whole = decode(body);
    const Decoded parts = decode(body, 1 + random() % 50);
    EXPECT(whole.status.code() == parts.status.code());
    EXPECT(!whole.status.ok() || whole.text == parts.text);
  }
}
