#include "bucket/group.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "common/digest/checksum.h"
#include "common/encoding/packed.h"
#include "format/log/log_frame.h"

namespace seriesdb {
namespace {

constexpr std::string_view kGroupMagic = "sdbg";
// The checksum stands behind 8 + 16 + 8 + 8 + 16 + 32 + 3 * 8 bytes.
constexpr std::size_t kGroupCrcOffset = 112;
constexpr std::size_t kGroupHeaderSize = kGroupCrcOffset + 4;

std::uint32_t checksumOf(Bytes group) {
  return crc32c(group.subspan(kGroupHeaderSize), crc32c(group.first(kGroupCrcOffset)));
}

// The checks return the rule that is broken; null: none.
const char* brokenRecordRule(const LogGroup& group) {
  const Bytes records = group.records;
  if (group.file < 1 || group.file > kSequenceMax) return "a file number out of range";
  if (group.firstSequence < 1 || group.lastSequence > kSequenceMax) {
    return "a sequence out of range";
  }
  std::uint64_t next = group.firstSequence;
  for (std::size_t at = 0; at < records.size(); ++next) {
    const auto record = log_frame::recordAt(records, at);
    if (!record) return "a damaged record";
    if (record->sequence != next) return "a record that is out of turn";
    at = static_cast<std::size_t>(record->offset) + record->payload.size();
  }
  if (next - 1 != group.lastSequence) return "another number of records";
  const bool isOneRecord = group.firstSequence == group.lastSequence;
  const std::size_t sizeMax = isOneRecord ? kGroupRecordSizeMax : kGroupSizeMax;
  return records.size() > sizeMax ? "too many bytes of records" : nullptr;
}

const char* brokenGroupRule(const LogGroup& group) {
  const auto& [epoch, number] = group.place;
  if (epoch < 1 || epoch > kEpochMax) return "an epoch out of range";
  if (number < 1 || number > kChainNumberMax) return "a number out of range";
  if (group.kind == GroupKind::kRecords) return brokenRecordRule(group);
  const std::uint64_t highest = std::max({group.file, group.firstSequence, group.lastSequence});
  return highest > 0 || !group.records.empty() ? "a seal with records" : nullptr;
}

std::string nameOf(const GroupPlace& place) {
  return "group " + std::to_string(place.epoch) + "/" + std::to_string(place.number);
}

// The records, whose size is checked before anything is allocated.
Result<ByteBuffer> readRecords(Bytes bytes, GroupKind kind) {
  ByteReader reader(bytes);
  const auto packed = readPacked(reader);
  if (!packed.ok()) return packed.status();
  if (!reader.atEnd()) return Status::corrupt("bytes behind its records");
  const std::size_t sizeMax = kind == GroupKind::kSeal ? 0 : kGroupRecordSizeMax;
  if (packed.value().size > sizeMax) return Status::corrupt("too many bytes of records");
  return unpack(packed.value());
}

Result<LogGroup> readGroup(Bytes bytes, const ExpectedGroup& expected) {
  if (Status start = chain_link::checkStart(bytes, kGroupMagic); !start.ok()) return start;
  if (bytes.size() < kGroupHeaderSize) return Status::corrupt("it is cut short");
  if (checksumOf(bytes) != loadLe<std::uint32_t>(bytes.data() + kGroupCrcOffset)) {
    return Status::corrupt("its checksum does not match");
  }
  ByteReader reader(bytes.subspan(chain_link::kMagicSize + 1));
  LogGroup group;
  const auto kind = reader.readLe<std::uint8_t>();
  if (kind < 1 || kind > kGroupKindMax) return unknownType(kind, kGroupKindMax);
  group.kind = GroupKind{kind};
  if (reader.readLe<std::uint16_t>() != 0) return Status::corrupt("malformed");
  group.link.database = chain_link::readArray<16>(reader);
  group.place.epoch = reader.readLe<std::uint64_t>();
  group.place.number = reader.readLe<std::uint64_t>();
  group.link.nonce = chain_link::readArray<16>(reader);
  group.link.before = readSha256(reader);
  group.file = reader.readLe<std::uint64_t>();
  group.firstSequence = reader.readLe<std::uint64_t>();
  group.lastSequence = reader.readLe<std::uint64_t>();
  if (group.link.database != expected.database) return Status::corrupt("of another database");
  if (group.place != expected.place) return Status::corrupt("it belongs to another key");
  Result<ByteBuffer> records = readRecords(bytes.subspan(kGroupHeaderSize), group.kind);
  if (!records.ok()) return records.status();
  group.records = std::move(records).value();
  if (const char* broken = brokenGroupRule(group)) return Status::corrupt(broken);
  return group;
}

}  // namespace

Result<ByteBuffer> encodeGroup(const LogGroup& group) {
  if (const char* broken = brokenGroupRule(group)) {
    return Status::invalid(nameOf(group.place) + ": " + broken);
  }
  ByteBuffer out;
  chain_link::appendStart(out, kGroupMagic, static_cast<std::uint8_t>(group.kind));
  appendBytes(out, group.link.database);
  appendLe(out, group.place.epoch);
  appendLe(out, group.place.number);
  appendBytes(out, group.link.nonce);
  appendBytes(out, group.link.before.bytes);
  for (const auto number : {group.file, group.firstSequence, group.lastSequence}) {
    appendLe(out, number);
  }
  appendLe<std::uint32_t>(out, 0);
  if (Status packed = appendPacked(out, group.records); !packed.ok()) return packed;
  storeLe(out.data() + kGroupCrcOffset, checksumOf(out));
  return out;
}

Result<LogGroup> decodeGroup(Bytes bytes, const ExpectedGroup& expected) {
  Result<LogGroup> read = readGroup(bytes, expected);
  if (read.ok()) return read;
  return chain_link::named(nameOf(expected.place), read.status());
}

}  // namespace seriesdb
