#include "bucket/refs_parts.h"

#include <algorithm>
#include <string>

#include "common/base/work_pace.h"

namespace seriesdb {
namespace {

constexpr std::string_view kPartMagic = "sdbm";
constexpr std::size_t kPartBytesMax = kRefsPartObjectSizeMax - kRefsPartHeaderSize;
constexpr std::size_t kPartHashBytes = std::size_t{1} << 20;

// The keys of parts are those of every database.
std::string partKey(const RefsPart& part) {
  return BucketLayout(DatabaseId{}).keyOf(PartPlace{part.hash});
}

ByteBuffer partHeader(const ProcessNonce& nonce) {
  ByteBuffer header;
  chain_link::appendStart(header, kPartMagic, 0);
  appendBytes(header, nonce);
  return header;
}

Status badPart(const RefsPart& part, const Status& why) {
  return chain_link::named("part " + partKey(part), why);
}

Sha256 hashOfPart(Bytes header, Bytes bytes) {
  Sha256Hasher hasher;
  hasher.update(header);
  while (!bytes.empty()) {
    PacedThread::giveWay();
    const Bytes piece = bytes.first(std::min(bytes.size(), kPartHashBytes));
    hasher.update(piece);
    bytes = bytes.subspan(piece.size());
  }
  return hasher.hash();
}

std::vector<Bytes> cutParts(Bytes bytes) {
  std::vector<Bytes> cut;
  while (!bytes.empty()) {
    cut.push_back(bytes.first(std::min(bytes.size(), kPartBytesMax)));
    bytes = bytes.subspan(cut.back().size());
  }
  return cut;
}

// True if the part in the bucket has these bytes: its header tells the nonce, and its name the hash
// of both.
Result<bool> hasBytes(StoreSession& session, const RefsPart& part, Bytes bytes) {
  const auto header = session.get(partKey(part), StoreRange{0, kRefsPartHeaderSize});
  if (!header.ok()) return header.status();
  if (!header.value() || header.value()->size() != kRefsPartHeaderSize) return false;
  return hashOfPart(*header.value(), bytes) == part.hash;
}

}  // namespace

Result<ByteBuffer> encodeRefsPart(const ProcessNonce& nonce, Bytes bytes) {
  if (bytes.empty() || bytes.size() > kPartBytesMax) {
    return Status::invalid("a part of REFS cannot have " + std::to_string(bytes.size()) + " bytes");
  }
  ByteBuffer object = partHeader(nonce);
  appendBytes(object, bytes);
  return object;
}

Result<Bytes> decodeRefsPart(Bytes object, const RefsPart& expected) {
  // A later version may have another size, so that comes first.
  if (Status start = chain_link::checkStart(object, kPartMagic); !start.ok()) {
    return badPart(expected, start);
  }
  const bool isSize =
      object.size() > kRefsPartHeaderSize && object.size() - kRefsPartHeaderSize == expected.size;
  if (!isSize) return badPart(expected, Status::corrupt("it has another size"));
  const Bytes zeros = object.subspan(chain_link::kMagicSize + 1, 3);
  const bool isZero = std::ranges::all_of(zeros, [](std::uint8_t byte) { return byte == 0; });
  const bool isIt = hashOfPart(object.first(kRefsPartHeaderSize),
                               object.subspan(kRefsPartHeaderSize)) == expected.hash;
  if (!isIt) return badPart(expected, Status::corrupt("its content has another hash"));
  if (!isZero) return badPart(expected, Status::corrupt("malformed"));
  return object.subspan(kRefsPartHeaderSize);
}

Result<RefsPlan> planRefsParts(StoreSession& session, const RefsBefore& before, Bytes refs) {
  RefsPlan plan;
  bool isKept = before.isWhole;
  Bytes rest = refs;
  for (std::size_t i = 0; isKept && i < before.parts.size(); ++i) {
    const RefsPart& part = before.parts[i];
    isKept = part.size <= rest.size();
    if (!isKept) break;
    const Bytes bytes = rest.first(static_cast<std::size_t>(part.size));
    const auto same = hasBytes(session, part, bytes);
    if (!same.ok()) return same.status();
    isKept = same.value();
    rest = rest.subspan(bytes.size());
  }
  if (isKept) {
    plan.added = cutParts(rest);
    isKept = plan.added.empty() || before.parts.size() + plan.added.size() <= kRefsPartsAppended;
  }
  if (isKept) {
    plan.kept = before.parts;
  } else {
    plan.added = cutParts(refs);
  }
  if (plan.kept.size() + plan.added.size() > kEntryPartsMax) {
    return Status(StatusCode::kPayloadTooLarge,
                  "REFS with " + std::to_string(refs.size()) + " bytes is too large for a bucket");
  }
  return plan;
}

Result<std::vector<RefsPart>> uploadRefsParts(StoreSession& session, const ProcessNonce& nonce,
                                              const RefsBefore& before, Bytes refs) {
  auto plan = planRefsParts(session, before, refs);
  if (!plan.ok()) return plan.status();
  std::vector<RefsPart> parts = std::move(plan.value().kept);
  for (const Bytes bytes : plan.value().added) {
    const auto object = encodeRefsPart(nonce, bytes);
    if (!object.ok()) return object.status();
    const Sha256 hash = sha256(object.value());
    const RefsPart part{bytes.size(), hash};
    if (Status put = session.put(partKey(part), object.value(), hash); !put.ok()) return put;
    parts.push_back(part);
  }
  return parts;
}

Result<ByteBuffer> readRefsParts(StoreSession& session, const std::vector<RefsPart>& parts) {
  ByteBuffer refs;
  for (const RefsPart& part : parts) {
    if (part.size > kPartBytesMax) return badPart(part, Status::corrupt("it is too large"));
    const auto object =
        session.get(partKey(part), StoreRange{0, part.size + kRefsPartHeaderSize + 1});
    if (!object.ok()) return object.status();
    if (!object.value()) {
      return badPart(part, Status::corrupt("it is not in the bucket any more"));
    }
    const auto bytes = decodeRefsPart(*object.value(), part);
    if (!bytes.ok()) return bytes.status();
    appendBytes(refs, bytes.value());
  }
  return refs;
}

}  // namespace seriesdb
