// An entry of the spine: what the database is, by itself. Entries are created in order and never
// deleted. The newest one tells everything that a claim, a publication or a reader needs.
//
//   entry = "sdbe" | version u8 | kind u8 | 0 u16 | database id 16 | number u64 | epoch u64
//         | last claim u64 | nonce 16 | before 32 | time ms i64 | to read u32 | to write u32
//         | seen u64 | edit u64 | head commit 32 | floor {epoch u64, number u64, sequence u64}
//         | ack u8 | lag max ms varint | node text | address text
//         | count varint, {number, sequence - sequence before, kept - sequence: varints}*
//         | count varint, {size varint, SHA-256 32}*
//         | crc32c u32 of all bytes before it
//
// Little-endian; see docs/format/bucket.md for fields and limits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bucket/chain_link.h"
#include "bucket/layout.h"
#include "common/base/bytes.h"
#include "common/base/status.h"
#include "common/digest/sha256.h"

namespace seriesdb {

inline constexpr std::size_t kEntrySizeMax = 4096;
inline constexpr std::size_t kNodeNameSizeMax = 128;
inline constexpr std::size_t kAddressSizeMax = 256;
inline constexpr std::size_t kEntryPartsMax = 64;
inline constexpr std::uint64_t kRefsSizeMax = std::uint64_t{1} << 40;
// Ended epochs that stay listed for the positions of clients, and the most that fit: epochs stay
// listed, too, while the floor lies in them or before.
inline constexpr std::size_t kEpochEndsKept = 64;
inline constexpr std::size_t kEpochEndsMax = 256;

// On disk: do not renumber.
enum class EntryKind : std::uint8_t { kClaim = 1, kPublication = 2 };
inline constexpr std::uint8_t kEntryKindMax = 2;
// What an acknowledgement of the owner waits for. On disk: do not renumber.
enum class AckMode : std::uint8_t { kLocal = 1, kBucket = 2 };
inline constexpr std::uint8_t kAckModeMax = 2;

// How the log of an epoch ended. Sequences do not fall from one epoch to the next.
struct EpochEnd {
  std::uint64_t number = 0;    // The place of its seal.
  std::uint64_t sequence = 0;  // The last sequence that the bucket has.
  std::uint64_t kept = 0;      // The last sequence that the next owner had; >= sequence.
  bool operator==(const EpochEnd&) const = default;
};

// Where replay begins.
struct LogFloor {
  GroupPlace place;            // The first group that is replayed; there may be none yet.
  std::uint64_t sequence = 0;  // Records up to this one are in segments, and skipped.
  bool operator==(const LogFloor&) const = default;
};

// Some bytes of REFS. The parts follow one another without gaps from offset 0.
struct RefsPart {
  std::uint64_t size = 0;  // At least 1.
  Sha256 hash;             // Of the part as an object.
  bool operator==(const RefsPart&) const = default;
};

struct SpineEntry {
  EntryKind kind = EntryKind::kClaim;
  ChainLink link;
  std::uint64_t number = 0;  // From 1 to kChainNumberMax.
  std::uint64_t epoch = 0;   // From 1 to kEpochMax: one for each claim.
  // The number of the newest claim, of a claim its own: at least `epoch`.
  std::uint64_t lastClaim = 0;
  std::int64_t timeMs = 0;  // For people; nothing depends on it.
  // Bits of ROOT's features. The caller checks that it knows them.
  std::uint32_t featuresToRead = 0;
  std::uint32_t featuresToWrite = 0;
  // The last sequence that was applied when the state was taken; >= floor.sequence.
  std::uint64_t seen = 0;
  std::uint64_t edit = 0;  // Of the head commit; from 1.
  Sha256 headCommit;
  LogFloor floor;
  AckMode ack = AckMode::kLocal;
  std::uint64_t lagMaxMs = 0;  // The owner refuses writes past this lag; 0: never.
  std::string node;     // 1 to kNodeNameSizeMax bytes of printable ASCII, as the next one is.
  std::string address;  // Where the owner takes requests; empty: nowhere.
  // Of the epochs before this one without gaps, the newest last: at least from the floor's on.
  std::vector<EpochEnd> ends;
  std::vector<RefsPart> parts;  // 1 to kEntryPartsMax.

  // The first epoch in `ends`; if there are none, this entry's.
  std::uint64_t firstEndedEpoch() const { return epoch - ends.size(); }
  // Null for an epoch that has not ended or is not listed any more.
  const EpochEnd* endOf(std::uint64_t ended) const;
  std::uint64_t refsSize() const;

  bool operator==(const SpineEntry&) const = default;
};

// True for 1 to kNodeNameSizeMax bytes of printable ASCII.
bool isNodeName(std::string_view text);

// Drops the ends that neither the floor nor the positions of clients need.
void dropOldEnds(SpineEntry& entry);

// kInvalidArgument for an entry that readers would refuse, with the reason; also past
// kEntrySizeMax.
Result<ByteBuffer> encodeEntry(const SpineEntry& entry);

// What the reader knows from the key.
struct ExpectedEntry {
  DatabaseId database{};
  std::uint64_t number = 0;
};
// kStorageCorrupt for bytes that encodeEntry() cannot have written for this key, kConfiguration for
// those of a newer program; the message names the entry.
Result<SpineEntry> decodeEntry(Bytes bytes, const ExpectedEntry& expected);

}  // namespace seriesdb
