#include "intake/zstd_body.h"

namespace seriesdb {

ZstdBody::ZstdBody(Key, Engine& engine) : memory_(engine) { account(); }

Result<std::unique_ptr<ZstdBody>> ZstdBody::begin(Engine& engine) {
  const Status admitted = engine.admit();
  if (!admitted.ok()) return admitted;
  return std::make_unique<ZstdBody>(Key{}, engine);
}

void ZstdBody::account() { memory_.set(decoder_.memoryBytes() + piece_.capacity()); }

void ZstdBody::write(Bytes chunk) {
  decoder_.write(chunk);
  account();
}

Result<std::optional<Bytes>> ZstdBody::next() {
  const Status decoded = decoder_.next(piece_);
  account();
  if (!decoded.ok()) return decoded;
  if (piece_.empty() && decoder_.needsInput()) return std::optional<Bytes>();
  return std::optional<Bytes>(piece_);
}

Status ZstdBody::finish() const {
  if (decoder_.isWhole()) return {};
  return Status::invalid("zstd: the last frame is cut short");
}

}  // namespace seriesdb
