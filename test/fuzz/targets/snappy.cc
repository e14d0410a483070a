#include <algorithm>
#include <string>

#include "common/base/check.h"
#include "common/encoding/snappy_decoder.h"
#include "common/encoding/snappy_encoder.h"
#include "target.h"

using namespace seriesdb;
using namespace seriesdb::fuzz;

namespace {

constexpr std::size_t kTextSizeMax = std::size_t{1} << 18;

std::vector<ByteBuffer> makeBodies(Random& random) {
  std::vector<ByteBuffer> all;
  for (std::size_t parts = 0; parts < 12; ++parts) {
    ByteBuffer text;
    for (std::size_t i = 0; i < parts; ++i) {
      const std::string label = "host-" + std::to_string(random() % 3);
      appendBytes(text, asBytes("__name__cpu_seconds_total" + label));
      text.insert(text.end(), random() % 90, static_cast<std::uint8_t>(random()));
    }
    appendSnappy(all.emplace_back(), text);
  }
  return all;
}

struct Decoded {
  std::string text;
  StatusCode code = StatusCode::kOk;
};

// Decodes the body in parts of `partSize`.
Decoded decode(Bytes body, std::size_t partSize) {
  SnappyDecoder decoder(kTextSizeMax);
  Decoded found;
  for (std::size_t at = 0; at < body.size() && found.code == StatusCode::kOk; at += partSize) {
    decoder.write(body.subspan(at, std::min(partSize, body.size() - at)));
    do {
      Bytes piece;
      found.code = decoder.next(piece).code();
      CHECK(piece.size() <= PieceDecoder::kPieceSizeMax);
      CHECK(found.code == StatusCode::kOk || piece.empty());
      found.text += asText(piece);
    } while (found.code == StatusCode::kOk && !decoder.needsInput());
    CHECK(found.text.size() <= kTextSizeMax);
  }
  if (found.code == StatusCode::kOk) found.code = decoder.finish().code();
  return found;
}

bool readBody(Bytes input) {
  const Decoded whole = decode(input, std::max<std::size_t>(input.size(), 1));
  const Decoded parts = decode(input, 1 + input.size() % 13);
  CHECK(whole.code == parts.code);
  if (whole.code != StatusCode::kOk) return false;
  CHECK(whole.text == parts.text);
  ByteBuffer again;
  appendSnappy(again, asBytes(whole.text));
  CHECK(decode(again, again.size()).text == whole.text);
  return true;
}

const Registration registration{{
    .name = "snappy",
    .sentence = "a snappy body is refused or decoded alike, whole and in parts, and encoded again",
    .read = &readBody,
    .seeds = &makeBodies,
}};

}  // namespace
