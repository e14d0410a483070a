#include "format/log/log_frame.h"

#include <vector>

#include "common/digest/checksum.h"

namespace seriesdb::log_frame {

std::optional<std::size_t> plausibleSize(Bytes log, std::size_t at) {
  if (at > log.size() || log.size() - at < kPayloadOffset) return std::nullopt;
  const std::size_t left = log.size() - at;
  const auto length = loadLe<std::uint32_t>(log.data() + at + kLengthOffset);
  if (length > kRecordPayloadSizeMax || length > left - kPayloadOffset) return std::nullopt;
  return kPayloadOffset + length;
}

std::optional<LogRecord> recordAt(Bytes log, std::size_t at) {
  const auto size = plausibleSize(log, at);
  if (!size.has_value()) return std::nullopt;
  const Bytes record = log.subspan(at, *size);
  if (crc32c(record.subspan(kLengthOffset)) != loadLe<std::uint32_t>(record.data())) {
    return std::nullopt;
  }
  const std::uint8_t type = record[kTypeOffset];
  return LogRecord{static_cast<std::uint8_t>(type & ~kAfterSyncFlag),
                   loadLe<std::uint64_t>(record.data() + kSequenceOffset),
                   record.subspan(kPayloadOffset), (type & kAfterSyncFlag) != 0,
                   at + kPayloadOffset};
}

namespace {

// The CRC of any range of `bytes`, in time that hardly depends on the range's size. The class
// stores the CRC of every prefix at steps of kStep bytes and derives a range from two prefixes.
class RangeChecksums {
 public:
  explicit RangeChecksums(Bytes bytes) : bytes_(bytes) {
    prefixes_.reserve(bytes.size() / kStep + 1);
    prefixes_.push_back(0);
    for (std::size_t end = kStep; end <= bytes.size(); end += kStep) {
      prefixes_.push_back(crc32c(bytes.subspan(end - kStep, kStep), prefixes_.back()));
    }
  }

  std::uint32_t of(std::size_t begin, std::size_t size) const {
    if (size <= kDirectSize) return crc32c(bytes_.subspan(begin, size));
    return prefix(begin + size) ^ crc32cShift(prefix(begin), size);
  }

 private:
  static constexpr std::size_t kStep = 128;
  static constexpr std::size_t kDirectSize = 4096;  // Below this, reading it all is faster.

  std::uint32_t prefix(std::size_t end) const {
    const std::size_t step = end / kStep;
    return crc32c(bytes_.subspan(step * kStep, end - step * kStep), prefixes_[step]);
  }

  Bytes bytes_;
  std::vector<std::uint32_t> prefixes_;
};

}  // namespace

std::optional<std::size_t> findRecord(Bytes log, std::size_t from, std::uint64_t sequence) {
  if (from >= log.size()) return std::nullopt;
  const Bytes tail = log.subspan(from);
  const RangeChecksums checksums(tail);
  for (std::size_t at = 0; at < tail.size(); ++at) {
    const auto size = plausibleSize(tail, at);
    if (!size.has_value()) continue;
    if (loadLe<std::uint64_t>(tail.data() + at + kSequenceOffset) <= sequence) continue;
    const std::uint32_t actual = checksums.of(at + kLengthOffset, *size - kLengthOffset);
    if (actual == loadLe<std::uint32_t>(tail.data() + at)) return from + at;
  }
  return std::nullopt;
}

}  // namespace seriesdb::log_frame
