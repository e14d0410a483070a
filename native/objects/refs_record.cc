#include "objects/refs_record.h"

namespace seriesdb {
namespace {

// What is left of the payload.
Status readObjects(Bytes payload, ByteReader& reader, std::vector<ObjectPlace>& places) {
  const std::uint64_t count = reader.readVarint();
  if (!reader.ok() || count > reader.rest().size()) {
    return Status::corrupt("more objects than bytes");
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    const Bytes bytes = reader.readBytes(reader.readVarint());
    if (!reader.ok() || bytes.empty()) return Status::corrupt("a malformed object");
    places.push_back({static_cast<std::size_t>(bytes.data() - payload.data()), bytes.size()});
  }
  if (!reader.atEnd()) return Status::corrupt("bytes behind the objects");
  return {};
}

}  // namespace

void appendObjects(ByteBuffer& out, std::span<const NewObject> objects) {
  appendVarint(out, objects.size());
  for (const NewObject& one : objects) appendText(out, asText(one.bytes));
}

void appendRefMove(ByteBuffer& out, const RefMove& move, std::span<const NewObject> objects) {
  appendText(out, move.ref);
  appendBytes(out, move.from.bytes);
  appendBytes(out, move.to.bytes);
  appendVarint(out, zigzag(move.timeMs));
  out.push_back(static_cast<std::uint8_t>(move.reason));
  appendObjects(out, objects);
}

Result<RefMove> parseRefMove(Bytes payload, std::vector<ObjectPlace>& places) {
  ByteReader reader(payload);
  RefMove move;
  move.ref = reader.readText();
  move.from = readSha256(reader);
  move.to = readSha256(reader);
  move.timeMs = unzigzag(reader.readVarint());
  const auto reason = reader.readLe<std::uint8_t>();
  if (!reader.ok() || move.ref.empty() || reason == 0 || reason > kCommitReasonMax) {
    return Status::corrupt("a malformed move of a ref");
  }
  move.reason = CommitReason{reason};
  Status read = readObjects(payload, reader, places);
  if (!read.ok()) return read;
  return move;
}

Status parseObjects(Bytes payload, std::vector<ObjectPlace>& places) {
  ByteReader reader(payload);
  return readObjects(payload, reader, places);
}

}  // namespace seriesdb
