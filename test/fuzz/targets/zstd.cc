#include <algorithm>
#include <string>

#include "common/base/check.h"
#include "common/encoding/zstd_decoder.h"
#include "target.h"

using namespace seriesdb;
using namespace seriesdb::fuzz;

namespace {

// The limit on decoded text, because a frame may stand for any size.
constexpr std::size_t kTextSizeMax = std::size_t{1} << 20;

// A frame of one block: raw content, or one byte repeated `runSize` times.
ByteBuffer frameOf(std::string_view content, std::uint32_t runSize = 0) {
  ByteBuffer out{0x28, 0xb5, 0x2f, 0xfd, 0, 0x38};
  const auto size = runSize > 0 ? runSize : static_cast<std::uint32_t>(content.size());
  const std::uint32_t head = (size << 3) | (runSize > 0 ? 2u : 0u) | 1u;
  for (const int shift : {0, 8, 16}) out.push_back(static_cast<std::uint8_t>(head >> shift));
  appendBytes(out, asBytes(content));
  return out;
}

std::vector<ByteBuffer> makeFrames(Random& random) {
  std::vector<ByteBuffer> all;
  for (std::size_t frames = 1; frames < 5; ++frames) {
    ByteBuffer body;
    for (std::size_t i = 0; i < frames; ++i) {
      const bool isRun = random() % 2 == 0;
      const std::string text = isRun ? "x" : std::string(random() % 100, 'a');
      const auto runSize = isRun ? 1 + static_cast<std::uint32_t>(random() % 100'000) : 0;
      appendBytes(body, frameOf(text, runSize));
    }
    all.push_back(std::move(body));
  }
  return all;
}

struct Decoded {
  std::string text;
  bool isRefused = false;
  bool isWhole = false;
};

// Decodes the body in parts of `partSize`.
Decoded decode(Bytes body, std::size_t partSize) {
  ZstdDecoder decoder;
  Decoded found;
  Bytes piece;
  for (std::size_t at = 0; at < body.size() && !found.isRefused; at += partSize) {
    decoder.write(body.subspan(at, std::min(partSize, body.size() - at)));
    do {
      found.isRefused = !decoder.next(piece).ok();
      CHECK(piece.size() <= ZstdDecoder::kPieceSizeMax);
      CHECK(!found.isRefused || piece.empty());
      found.text += asText(piece);
    } while (!found.isRefused && (!piece.empty() || !decoder.needsInput()) &&
             found.text.size() < kTextSizeMax);
    CHECK(decoder.memoryBytes() < ZstdDecoder::kWindowSizeMax + (std::size_t{4} << 20));
    if (found.text.size() >= kTextSizeMax) return found;
  }
  found.isWhole = decoder.isWhole();
  return found;
}

bool readFrames(Bytes input) {
  const Decoded whole = decode(input, std::max<std::size_t>(input.size(), 1));
  const Decoded parts = decode(input, 1 + input.size() % 13);
  const std::size_t size = std::min(whole.text.size(), parts.text.size());
  CHECK(whole.text.compare(0, size, parts.text, 0, size) == 0);
  if (std::max(whole.text.size(), parts.text.size()) >= kTextSizeMax) return true;
  CHECK(whole.isRefused == parts.isRefused && whole.isWhole == parts.isWhole);
  CHECK(whole.isRefused || whole.text.size() == parts.text.size());
  return whole.isWhole;
}

const Registration registration{{
    .name = "zstd",
    .sentence = "a zstd body is refused or decoded alike, whole and in parts",
    .read = &readFrames,
    .seeds = &makeFrames,
}};

}  // namespace
