// A group of the log: whole framed records of one WAL file, marks included, or the seal that ends
// the log of an epoch. Groups of all epochs in their order are the records of the WAL.
//
//   group = "sdbg" | version u8 | kind u8 | 0 u16 | database id 16 | epoch u64 | number u64
//         | nonce 16 | before 32 | file u64 | first sequence u64 | last sequence u64
//         | crc32c u32 of all bytes before and behind it | packed records
//
// Little-endian; see docs/format/bucket.md for fields and limits, docs/format/log.md for records.
// A seal has zeros for file and sequences, and no records.
#pragma once

#include <cstdint>

#include "bucket/chain_link.h"
#include "bucket/layout.h"
#include "common/base/bytes.h"
#include "common/base/status.h"

namespace seriesdb {

// The most bytes of several records, and of one record with its frame that stands alone.
inline constexpr std::size_t kGroupSizeMax = std::size_t{8} << 20;
inline constexpr std::size_t kGroupRecordSizeMax = std::size_t{64} << 20;

// On disk: do not renumber.
enum class GroupKind : std::uint8_t { kRecords = 1, kSeal = 2 };
inline constexpr std::uint8_t kGroupKindMax = 2;

struct LogGroup {
  GroupKind kind = GroupKind::kRecords;
  ChainLink link;
  GroupPlace place;
  // The number of the WAL file, from 1.
  std::uint64_t file = 0;
  // Of the first and the last record. Without records: the next one that will come, and that
  // less 1.
  std::uint64_t firstSequence = 0;
  std::uint64_t lastSequence = 0;
  // Framed as in a log file, without a header. Sequences rise by one.
  ByteBuffer records;
  bool operator==(const LogGroup&) const = default;
};

// kInvalidArgument for a group that readers would refuse, with the reason.
Result<ByteBuffer> encodeGroup(const LogGroup& group);

// What the reader knows from the key.
struct ExpectedGroup {
  DatabaseId database{};
  GroupPlace place;
};
// kStorageCorrupt for bytes that encodeGroup() cannot have written for this key, kConfiguration for
// those of a newer program; the message names the group. Every record is checked. Allocates at most
// kGroupRecordSizeMax, and never more than 22 times the size of `bytes`.
Result<LogGroup> decodeGroup(Bytes bytes, const ExpectedGroup& expected);

}  // namespace seriesdb
