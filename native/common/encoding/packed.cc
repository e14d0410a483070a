#include "common/encoding/packed.h"

#include <string>

#include "common/encoding/snappy_decoder.h"
#include "common/encoding/snappy_encoder.h"

namespace seriesdb {
namespace {

// The largest growth of any block element: a copy of 64 bytes takes three.
constexpr std::size_t kGrowthMax = 22;

Status malformed(const std::string& why) {
  return Status::corrupt("malformed compressed bytes: " + why);
}

}  // namespace

Status appendPacked(ByteBuffer& out, Bytes plain) {
  if (plain.size() > kPackedSizeMax) {
    return {StatusCode::kPayloadTooLarge,
            std::to_string(plain.size()) + " bytes are too many for one metadata object"};
  }
  ByteBuffer block;
  appendSnappy(block, plain);
  appendVarint(out, plain.size());
  appendText(out, asText(block.size() < plain.size() ? Bytes(block) : plain));
  return {};
}

Result<Packed> readPacked(ByteReader& reader) {
  const std::uint64_t size = reader.readVarint();
  const Bytes stored = reader.readBytes(reader.readVarint());
  if (!reader.ok() || size > kPackedSizeMax) return malformed("cut short");
  const Packed packed{static_cast<std::size_t>(size), stored};
  if (Status checked = checkPacked(packed); !checked.ok()) return checked;
  return packed;
}

Status checkPacked(const Packed& packed) {
  const auto& [size, stored] = packed;
  const bool isPossible =
      size <= kPackedSizeMax && stored.size() <= size && size / kGrowthMax <= stored.size();
  return isPossible ? Status() : malformed("impossible size");
}

Result<ByteBuffer> unpack(const Packed& packed) {
  if (Status checked = checkPacked(packed); !checked.ok()) return checked;
  const auto& [size, stored] = packed;
  if (stored.size() == size) return ByteBuffer(stored.begin(), stored.end());
  ByteBuffer plain;
  plain.reserve(size);
  SnappyDecoder decoder(size);
  decoder.write(stored);
  Bytes piece;
  do {
    if (Status next = decoder.next(piece); !next.ok()) return malformed(next.message());
    appendBytes(plain, piece);
  } while (!decoder.needsInput());
  const Status whole = decoder.finish();
  if (whole.ok() && plain.size() == size) return plain;
  return malformed(whole.ok() ? "another size" : whole.message());
}

}  // namespace seriesdb
