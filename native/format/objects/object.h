// An object: bytes named by their SHA-256. The first bytes tell its kind.
#pragma once

#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "common/digest/sha256.h"

namespace seriesdb {

// An object that is not in the store yet.
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
  // The bytes with that hash. kStorageCorrupt if the object is missing or damaged. Any thread,
  // while no thread writes.
  virtual Result<ByteBuffer> read(const Sha256& id) const = 0;
};

}  // namespace seriesdb
