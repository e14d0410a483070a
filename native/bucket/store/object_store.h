// The door to a store of objects (S3 and its relatives). Keys stand below the prefix of the
// bucket's URL, which the implementation adds.
//
// The protocols above rely on two properties. A create is atomic for its key over all gateways of
// the store. A read of an object that was created and not deleted gives its bytes. Nothing else is
// promised: a listing may be stale, a request without an answer may take effect much later, and a
// deleted key can be created again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/digest/sha256.h"

namespace seriesdb {

class CreateAttempt;

// The last four send a large object in parts. An upload is not idempotent as a whole: a second
// kBeginUpload begins another one, and kEndUpload of an ended one is kNotFound.
enum class StoreOp : std::uint8_t {
  kPut,
  kGet,
  kDelete,
  kList,
  kBeginUpload,  // Of an object in parts; nothing is visible before kEndUpload.
  kPutPart,      // A part that was put before is replaced.
  kEndUpload,    // Makes the object of all parts, and replaces one that has the key.
  kDropUpload,   // Forgets the parts.
};
inline constexpr std::size_t kStoreOpCount = 8;

// The largest body of one request in bytes.
inline constexpr std::size_t kStoreBodySizeMax = std::size_t{64} << 20;
// Parts of an upload count from 1 to this.
inline constexpr std::uint32_t kUploadPartsMax = 10'000;

// The permission for a put with `If-None-Match: *`. Only a CreateAttempt has one, since another
// create could send other bytes to the same key.
class CreateOnly {
 private:
  CreateOnly() = default;
  friend class CreateAttempt;
};

// Bytes [offset, offset + size) of an object.
struct StoreRange {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

// One request. The body and the texts are lent until the answer.
struct StoreRequest {
  StoreOp op = StoreOp::kGet;
  std::string key;  // Of a list: the prefix of the keys.
  // Of a put: the object, and its SHA-256, which signs the request. The store refuses another body.
  // Of kPutPart: the part.
  Bytes body;
  Sha256 bodyHash;
  std::optional<CreateOnly> createOnly;  // Of a put: only if no object has the key.
  std::optional<StoreRange> range;       // Of a get; absent: the whole object.
  // Of a list: keys above `after` in byte order, at most `countMax` of them.
  std::string after;
  std::size_t countMax = 0;
  std::string upload;             // Of kPutPart, kEndUpload, kDropUpload: the id of the upload.
  std::uint32_t part = 0;         // Of kPutPart: 1 to kUploadPartsMax.
  std::vector<std::string> tags;  // Of kEndUpload: of all parts in order.
  // By the monotonic clock (monotonicNanos). An answer later than this is kNotKnown.
  std::uint64_t deadlineNanos = 0;

  bool isCreate() const { return createOnly.has_value(); }
};

// What is known after a request.
enum class StoreOutcome : std::uint8_t {
  kDone,    // It took effect: 2xx. A delete of a missing object is done, too.
  kExists,  // A create met an object: 412. The object may be an earlier attempt of the same create.
  kNotFound,  // A get met no object, or a part no upload: 404.
  // Timeout, reset, 409, 5xx and all other answers. The request may have taken effect, or may yet.
  kNotKnown,
  // It took no effect, and the same request would not later: 403, 501, a bucket that is not there.
  kRefused,
};

struct ListedObject {
  std::string key;
  std::uint64_t sizeBytes = 0;
  bool operator==(const ListedObject&) const = default;
};

struct StoreAnswer {
  StoreOutcome outcome = StoreOutcome::kNotKnown;
  // Of a get that is done. Shorter than the range where the object ends.
  ByteBuffer body;
  // Of a list that is done: in byte order of the keys. `hasMore`: ask again after the last key.
  std::vector<ListedObject> listed;
  bool hasMore = false;
  std::string text;    // Of kBeginUpload that is done: the id. Of kPutPart: the tag of the part.
  std::string reason;  // Of kNotKnown and kRefused: a phrase for a log, such as "503 SlowDown".
};

// Any thread.
class ObjectStore {
 public:
  virtual ~ObjectStore() = default;
  // Sends the request once and blocks until its answer, or until its deadline. Never retries: only
  // the caller knows whether a second request does harm.
  virtual StoreAnswer ask(const StoreRequest& request) = 0;
};

}  // namespace seriesdb
