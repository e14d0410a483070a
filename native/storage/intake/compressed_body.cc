#include "storage/intake/compressed_body.h"

#include "common/encoding/snappy_decoder.h"
#include "common/encoding/zstd_decoder.h"

namespace seriesdb {
namespace {

std::unique_ptr<PieceDecoder> makeDecoder(const Engine& engine, BodyCoding coding) {
  if (coding == BodyCoding::kZstd) return std::make_unique<ZstdDecoder>();
  return std::make_unique<SnappyDecoder>(engine.limits().ingest.bodySizeMax);
}

}  // namespace

CompressedBody::CompressedBody(Key, Engine& engine, BodyCoding coding)
    : decoder_(makeDecoder(engine, coding)), memory_(engine) {
  account();
}

Result<std::unique_ptr<CompressedBody>> CompressedBody::begin(Engine& engine, BodyCoding coding) {
  const Status admitted = engine.admit();
  if (!admitted.ok()) return admitted;
  return std::make_unique<CompressedBody>(Key{}, engine, coding);
}

void CompressedBody::write(Bytes chunk) {
  decoder_->write(chunk);
  account();
}

Result<std::optional<Bytes>> CompressedBody::next() {
  Bytes piece;
  const Status decoded = decoder_->next(piece);
  account();
  if (!decoded.ok()) return decoded;
  if (piece.empty() && decoder_->needsInput()) return std::optional<Bytes>();
  return std::optional<Bytes>(piece);
}

}  // namespace seriesdb
