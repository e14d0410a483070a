// The payloads of REFS and of a tag's file: which commit a name means, since when, and the objects
// that are new with it. See docs/format/objects.md.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "objects/commit.h"
#include "objects/object.h"

namespace seriesdb {

// On disk: do not renumber.
inline constexpr std::uint8_t kRefMoveType = 1;
inline constexpr std::uint8_t kObjectsType = 2;

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
  std::size_t offset;
  std::size_t size;
};

void appendRefMove(ByteBuffer& out, const RefMove& move, std::span<const NewObject> objects);
void appendObjects(ByteBuffer& out, std::span<const NewObject> objects);

// kStorageCorrupt for bytes that the function above cannot have written. Adds to `places`.
Result<RefMove> parseRefMove(Bytes payload, std::vector<ObjectPlace>& places);
Status parseObjects(Bytes payload, std::vector<ObjectPlace>& places);

}  // namespace seriesdb
