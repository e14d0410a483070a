// The payloads of REFS and of tag files: the commit that a name means, the time of the move, and
// its new objects. See docs/format/objects.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "format/objects/commit.h"
#include "format/objects/object.h"

namespace seriesdb {

// On disk: do not renumber. The first two are older formats: their objects are uncompressed and
// have no ids.
inline constexpr std::uint8_t kPlainRefMoveType = 1;
inline constexpr std::uint8_t kPlainObjectsType = 2;
inline constexpr std::uint8_t kRefMoveType = 3;
inline constexpr std::uint8_t kObjectsType = 4;

// On disk. The ref of the database's current commit, and the prefix of tags.
inline constexpr const char* kHeadRef = "heads/main";
inline constexpr const char* kTagPrefix = "tags/";

// Zeros as `from`: the ref did not exist. Zeros as `to`: it is removed.
struct RefMove {
  std::string ref;  // kHeadRef, or kTagPrefix and a name; not empty.
  Sha256 from;
  Sha256 to;
  std::int64_t timeMs = 0;  // By the wall clock, which may go back.
  CommitReason reason = CommitReason::kFlush;

  bool operator==(const RefMove&) const = default;
};

// The place of an object in the payload that it was read from.
struct ObjectPlace {
  Sha256 id;  // From the record; if the record has none, the hash of the bytes.
  std::size_t offset;
  std::size_t storedSize;
  std::size_t size;  // If larger than storedSize, the stored bytes are a snappy block.
};

struct RefsRecord {
  std::optional<RefMove> move;
  std::vector<ObjectPlace> objects;
};

// Both: kPayloadTooLarge if an object exceeds kPackedSizeMax.
Status appendRefMove(ByteBuffer& out, const RefMove& move, std::span<const NewObject> objects);
Status appendObjects(ByteBuffer& out, std::span<const NewObject> objects);

// Reads a payload of any of these types. kStorageCorrupt for another type, and for bytes that no
// writer wrote.
Result<RefsRecord> parseRefsRecord(std::uint8_t type, Bytes payload);
// Unpacks the bytes of an object without checking them against its id.
Result<ByteBuffer> unpackObject(Bytes stored, std::size_t size);

}  // namespace seriesdb
