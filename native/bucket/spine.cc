#include "bucket/spine.h"

#include <algorithm>
#include <utility>

namespace seriesdb {

Result<std::optional<ByteBuffer>> Spine::bytesAt(std::uint64_t number) {
  return session_.get(layout_.keyOf(EntryPlace{number}), StoreRange{0, kEntrySizeMax + 1});
}

Result<std::optional<FoundEntry>> Spine::read(std::uint64_t number) {
  const auto bytes = bytesAt(number);
  if (!bytes.ok()) return bytes.status();
  if (!bytes.value()) return std::optional<FoundEntry>();
  Result<SpineEntry> entry = decodeEntry(*bytes.value(), {database_, number});
  if (!entry.ok()) return entry.status();
  return std::optional(FoundEntry{std::move(entry).value(), sha256(*bytes.value())});
}

Result<std::optional<FoundEntry>> Spine::newest(std::uint64_t known) {
  std::uint64_t there = known;
  std::uint64_t missing = kChainNumberMax + 1;
  const auto look = [&](std::uint64_t number) -> Status {
    const auto bytes = bytesAt(number);
    if (!bytes.ok()) return bytes.status();
    (bytes.value() ? there : missing) = number;
    return {};
  };
  for (std::uint64_t step = 1; there + 1 < missing; step *= 2) {
    const std::uint64_t next = known + step;
    if (next >= missing) break;
    if (Status looked = look(next); !looked.ok()) return looked;
  }
  while (there + 1 < missing) {
    if (Status looked = look(there + (missing - there) / 2); !looked.ok()) return looked;
  }
  if (there == 0) return std::optional<FoundEntry>();
  auto found = read(there);
  if (found.ok() && !found.value()) {
    return Status::corrupt("entry " + std::to_string(there) + " of the bucket is gone");
  }
  return found;
}

}  // namespace seriesdb
