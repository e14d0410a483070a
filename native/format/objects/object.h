// An object: bytes that are named by their SHA-256. Which kind it is its first bytes say.
#pragma once

#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "common/digest/sha256.h"

namespace seriesdb {

// One that is not in the store yet.
struct NewObject {
  Sha256 id;
  ByteBuffer bytes;
};
using NewObjects = std::vector<NewObject>;

inline NewObject makeObject(ByteBuffer bytes) {
  const Sha256 id = sha256(bytes);
  return {id, std::move(bytes)};
}

class ObjectReader {
 public:
  virtual ~ObjectReader() = default;
  // The bytes, which have that hash. kStorageCorrupt when it is not there or damaged. Any thread,
  // while nobody writes.
  virtual Result<ByteBuffer> read(const Sha256& id) const = 0;
};

}  // namespace seriesdb
