#include "bucket/spine.h"

#include <utility>

#include "bucket/find_last.h"

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
  const auto last = findLast(known, [this](std::uint64_t number) -> Result<bool> {
    const auto bytes = bytesAt(number);
    if (!bytes.ok()) return bytes.status();
    return bytes.value().has_value();
  });
  if (!last.ok()) return last.status();
  if (last.value() == 0) return std::optional<FoundEntry>();
  auto found = read(last.value());
  if (found.ok() && !found.value()) {
    return Status::corrupt("entry " + std::to_string(last.value()) + " of the bucket is gone");
  }
  return found;
}

}  // namespace seriesdb
