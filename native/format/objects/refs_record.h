// The payloads of REFS and of a tag's file: which commit a name means, since when, and the objects
// that are new with it. See docs/format/objects.md.
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

// On disk: do not renumber. The first two, whose objects stand as they are and without their ids,
// are of before.
inline constexpr std::uint8_t kPlainRefMoveType = 1;
inline constexpr std::uint8_t kPlainObjectsType = 2;
inline constexpr std::uint8_t kRefMoveType = 3;
inline constexpr std::uint8_t kObjectsType = 4;

// On disk. Where the name of the commit that is the database stands, and those of tags.
inline constexpr const char* kHeadRef = "heads/main";
inline constexpr const char* kTagPrefix = "tags/";

// Zeros as `from`: it was not there. As `to`: it is not there any more.
struct RefMove {
  std::string ref;  // kHeadRef, or kTagPrefix and a name; not empty.
  Sha256 from;
  Sha256 to;
  std::int64_t timeMs = 0;  // By the wall clock, which may go back.
  CommitReason reason = CommitReason::kFlush;

  bool operator==(const RefMove&) const = default;
};

// Where an object lies in the payload that it was read from.
struct ObjectPlace {
  Sha256 id;  // As the record says, or of its bytes where it does not.
  std::size_t offset;
  std::size_t storedSize;
  std::size_t size;  // Larger: a snappy block of it is stored.
};

struct RefsRecord {
  std::optional<RefMove> move;
  std::vector<ObjectPlace> objects;
};

// Both: kPayloadTooLarge where an object passes kPackedSizeMax.
Status appendRefMove(ByteBuffer& out, const RefMove& move, std::span<const NewObject> objects);
Status appendObjects(ByteBuffer& out, std::span<const NewObject> objects);

// Of any of these types; kStorageCorrupt for another one, and for bytes that nobody has written.
Result<RefsRecord> parseRefsRecord(std::uint8_t type, Bytes payload);
// The bytes of an object, which are not held against its id.
Result<ByteBuffer> unpackObject(Bytes stored, std::size_t size);

}  // namespace seriesdb
