// Parts of REFS: ranges of the file as objects. REFS grows at its end until it is replaced, so most
// publications upload only what was appended.
//
//   part = "sdbm" | version u8 | 0 u8 ×3 | nonce 16 | bytes of REFS
//
// The nonce makes the name of a part unique, so a name that left never comes back.
#pragma once

#include <cstdint>
#include <vector>

#include "bucket/chain_link.h"
#include "bucket/entry.h"
#include "bucket/layout.h"
#include "bucket/store_session.h"
#include "common/base/bytes.h"
#include "common/base/status.h"

namespace seriesdb {

inline constexpr std::size_t kRefsPartHeaderSize = 24;
// The most bytes of a part, header included.
inline constexpr std::size_t kRefsPartObjectSizeMax = std::size_t{64} << 20;
// A publication that would list more sends all of REFS again. Only a REFS beyond 2 GiB has more.
inline constexpr std::size_t kRefsPartsAppended = 32;

// kInvalidArgument for no bytes or too many.
Result<ByteBuffer> encodeRefsPart(const ProcessNonce& nonce, Bytes bytes);
// The bytes of REFS, a view into `object`. kStorageCorrupt for anything but the expected part,
// kConfiguration for that of a newer program; the message names the part.
Result<Bytes> decodeRefsPart(Bytes object, const RefsPart& expected);

// The parts of the publication before.
struct RefsBefore {
  std::vector<RefsPart> parts;
  bool isWhole = false;  // True if all of them are in the bucket. Otherwise none is kept.
};
// The parts of the next publication: first some that are in the bucket, then new ones.
struct RefsPlan {
  std::vector<RefsPart> kept;
  std::vector<Bytes> added;  // Views into REFS, without gaps up to its end.
};
// Keeps all parts if they are the beginning of `refs` and the rest fits, otherwise none. Reads only
// the headers of parts from the bucket. kPayloadTooLarge: REFS is too large for an entry. Otherwise
// fails as StoreSession.
Result<RefsPlan> planRefsParts(StoreSession& session, const RefsBefore& before, Bytes refs);

// Uploads what the plan adds; returns all parts. Fails as planRefsParts().
Result<std::vector<RefsPart>> uploadRefsParts(StoreSession& session, const ProcessNonce& nonce,
                                              const RefsBefore& before, Bytes refs);

// The bytes of REFS from all parts. kStorageCorrupt names a part that is gone or damaged. Memory
// grows only with the bytes that came.
Result<ByteBuffer> readRefsParts(StoreSession& session, const std::vector<RefsPart>& parts);

}  // namespace seriesdb
