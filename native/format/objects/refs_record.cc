#include "format/objects/refs_record.h"

#include "common/base/later_program.h"
#include "common/encoding/packed.h"

namespace seriesdb {
namespace {

// Reads one object, with its id in front.
Result<ObjectPlace> readObject(Bytes payload, ByteReader& reader) {
  const Sha256 id = readSha256(reader);
  const auto packed = readPacked(reader);
  if (!packed.ok()) return packed.status();
  const auto& [size, stored] = packed.value();
  return ObjectPlace{id, static_cast<std::size_t>(stored.data() - payload.data()), stored.size(),
                     size};
}

// Reads one object of the older format, without an id.
Result<ObjectPlace> readPlainObject(Bytes payload, ByteReader& reader) {
  const Bytes bytes = reader.readBytes(reader.readVarint());
  if (!reader.ok()) return Status::corrupt("an object is cut short");
  return ObjectPlace{sha256(bytes), static_cast<std::size_t>(bytes.data() - payload.data()),
                     bytes.size(), bytes.size()};
}

// Reads the rest of the payload.
Status readObjects(Bytes payload, ByteReader& reader, bool isPlain,
                   std::vector<ObjectPlace>& places) {
  const std::uint64_t count = reader.readVarint();
  if (!reader.ok() || count > reader.rest().size()) {
    return Status::corrupt("more objects than bytes");
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto place = isPlain ? readPlainObject(payload, reader) : readObject(payload, reader);
    if (!place.ok()) return place.status();
    if (place.value().size == 0) return Status::corrupt("a malformed object");
    places.push_back(place.value());
  }
  if (!reader.atEnd()) return Status::corrupt("unexpected bytes after the objects");
  return {};
}

Result<RefMove> readRefMove(ByteReader& reader) {
  RefMove move;
  move.ref = reader.readText();
  move.from = readSha256(reader);
  move.to = readSha256(reader);
  move.timeMs = unzigzag(reader.readVarint());
  const auto reason = reader.readLe<std::uint8_t>();
  if (!reader.ok() || move.ref.empty() || reason == 0 || reason > kCommitReasonMax) {
    return Status::corrupt("a malformed ref update");
  }
  move.reason = CommitReason{reason};
  return move;
}

}  // namespace

Status appendObjects(ByteBuffer& out, std::span<const NewObject> objects) {
  appendVarint(out, objects.size());
  for (const NewObject& one : objects) {
    appendBytes(out, one.id.bytes);
    if (Status packed = appendPacked(out, one.bytes); !packed.ok()) return packed;
  }
  return {};
}

Status appendRefMove(ByteBuffer& out, const RefMove& move, std::span<const NewObject> objects) {
  appendText(out, move.ref);
  appendBytes(out, move.from.bytes);
  appendBytes(out, move.to.bytes);
  appendVarint(out, zigzag(move.timeMs));
  out.push_back(static_cast<std::uint8_t>(move.reason));
  return appendObjects(out, objects);
}

Result<RefsRecord> parseRefsRecord(std::uint8_t type, Bytes payload) {
  if (type == 0 || type > kObjectsType) {
    return unknownType(type, kObjectsType);
  }
  ByteReader reader(payload);
  RefsRecord record;
  if (type == kRefMoveType || type == kPlainRefMoveType) {
    auto move = readRefMove(reader);
    if (!move.ok()) return move.status();
    record.move = std::move(move).value();
  }
  const bool isPlain = type == kPlainRefMoveType || type == kPlainObjectsType;
  const Status read = readObjects(payload, reader, isPlain, record.objects);
  if (!read.ok()) return read;
  return record;
}

Result<ByteBuffer> unpackObject(Bytes stored, std::size_t size) { return unpack({size, stored}); }

}  // namespace seriesdb
