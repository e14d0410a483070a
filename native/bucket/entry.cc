#include "bucket/entry.h"

#include <algorithm>
#include <string_view>

#include "common/digest/checksum.h"
#include "format/log/log_file.h"

namespace seriesdb {
namespace {

constexpr std::string_view kEntryMagic = "sdbe";
constexpr std::size_t kEntryCrcSize = 4;
// Enough for the version and the checksum; the reader checks the rest.
constexpr std::size_t kSmallestEntry = chain_link::kMagicSize + 1 + kEntryCrcSize;

bool isPlaceNumber(std::uint64_t number) { return number >= 1 && number <= kChainNumberMax; }

bool isPrintable(std::string_view text) {
  return std::ranges::all_of(text, [](char one) { return one >= ' ' && one <= '~'; });
}

// The checks return the first rule that is broken; null: none.
const char* brokenNumberRule(const SpineEntry& entry) {
  if (!isPlaceNumber(entry.number)) return "a number out of range";
  if (entry.epoch < 1 || entry.epoch > kEpochMax) return "an epoch out of range";
  if (entry.lastClaim > entry.number) return "a last claim behind itself";
  if (entry.lastClaim < entry.epoch) return "more epochs than claims";
  if ((entry.kind == EntryKind::kClaim) != (entry.lastClaim == entry.number)) {
    return "a kind that differs from its last claim";
  }
  if ((entry.number == 1) != (entry.link.before == Sha256())) return "a predecessor out of place";
  if (entry.edit < 1 || entry.edit > kSequenceMax) return "an edit out of range";
  if (entry.seen > kSequenceMax) return "a sequence out of range";
  return entry.lagMaxMs > kSequenceMax ? "a lag out of range" : nullptr;
}

const char* brokenTextRule(const SpineEntry& entry) {
  if (!isNodeName(entry.node)) {
    return "a node name that is empty, too long or not printable";
  }
  const bool isFit = entry.address.size() <= kAddressSizeMax && isPrintable(entry.address);
  return isFit ? nullptr : "an address that is too long or not printable";
}

const char* brokenEndRule(const SpineEntry& entry) {
  if (entry.ends.size() > kEpochEndsMax || entry.ends.size() >= entry.epoch) {
    return "too many ended epochs";
  }
  std::uint64_t sequence = 0;
  for (const EpochEnd& end : entry.ends) {
    if (!isPlaceNumber(end.number)) return "an end with a number out of range";
    if (end.sequence < sequence) return "sequences that fall";
    if (end.kept < end.sequence || end.kept > kSequenceMax) return "a kept sequence out of range";
    sequence = end.sequence;
  }
  return nullptr;
}

const char* brokenFloorRule(const SpineEntry& entry) {
  const auto& [place, sequence] = entry.floor;
  if (!isPlaceNumber(place.number)) return "a floor with a number out of range";
  if (sequence > entry.seen) return "a floor behind what was seen";
  if (place.epoch < entry.firstEndedEpoch() || place.epoch > entry.epoch) {
    return "a floor in an epoch that is not listed";
  }
  const EpochEnd* end = entry.endOf(place.epoch);
  // The seal itself may be the floor: then nothing of that epoch is replayed.
  const bool isPastEnd = end != nullptr && (place.number > end->number || sequence > end->sequence);
  return isPastEnd ? "a floor past the end of its epoch" : nullptr;
}

const char* brokenPartRule(const SpineEntry& entry) {
  if (entry.parts.empty() || entry.parts.size() > kEntryPartsMax) return "too few or many parts";
  std::uint64_t left = kRefsSizeMax;
  for (const RefsPart& part : entry.parts) {
    if (part.size < 1 || part.size > left) return "a part with a size out of range";
    left -= part.size;
  }
  return nullptr;
}

const char* brokenEntryRule(const SpineEntry& entry) {
  for (const auto rule :
       {&brokenNumberRule, &brokenTextRule, &brokenEndRule, &brokenFloorRule, &brokenPartRule}) {
    if (const char* broken = rule(entry)) return broken;
  }
  return nullptr;
}

// Of a valid entry.
void appendEntry(ByteBuffer& out, const SpineEntry& entry) {
  chain_link::appendStart(out, kEntryMagic, static_cast<std::uint8_t>(entry.kind));
  appendBytes(out, entry.link.database);
  for (const auto number : {entry.number, entry.epoch, entry.lastClaim}) appendLe(out, number);
  appendBytes(out, entry.link.nonce);
  appendBytes(out, entry.link.before.bytes);
  appendLe(out, entry.timeMs);
  appendLe(out, entry.featuresToRead);
  appendLe(out, entry.featuresToWrite);
  appendLe(out, entry.seen);
  appendLe(out, entry.edit);
  appendBytes(out, entry.headCommit.bytes);
  const LogFloor& floor = entry.floor;
  for (const auto number : {floor.place.epoch, floor.place.number, floor.sequence}) {
    appendLe(out, number);
  }
  out.push_back(static_cast<std::uint8_t>(entry.ack));
  appendVarint(out, entry.lagMaxMs);
  appendText(out, entry.node);
  appendText(out, entry.address);
  appendVarint(out, entry.ends.size());
  std::uint64_t sequence = 0;
  for (const EpochEnd& end : entry.ends) {
    appendVarint(out, end.number);
    appendVarint(out, end.sequence - sequence);
    appendVarint(out, end.kept - end.sequence);
    sequence = end.sequence;
  }
  appendVarint(out, entry.parts.size());
  for (const RefsPart& part : entry.parts) {
    appendVarint(out, part.size);
    appendBytes(out, part.hash.bytes);
  }
  appendLe(out, crc32c(out));
}

// The fields in front of the texts. Leaves their rules to brokenEntryRule().
void readFixed(ByteReader& reader, SpineEntry& entry) {
  entry.link.database = chain_link::readArray<16>(reader);
  entry.number = reader.readLe<std::uint64_t>();
  entry.epoch = reader.readLe<std::uint64_t>();
  entry.lastClaim = reader.readLe<std::uint64_t>();
  entry.link.nonce = chain_link::readArray<16>(reader);
  entry.link.before = readSha256(reader);
  entry.timeMs = reader.readLe<std::int64_t>();
  entry.featuresToRead = reader.readLe<std::uint32_t>();
  entry.featuresToWrite = reader.readLe<std::uint32_t>();
  entry.seen = reader.readLe<std::uint64_t>();
  entry.edit = reader.readLe<std::uint64_t>();
  entry.headCommit = readSha256(reader);
  entry.floor.place.epoch = reader.readLe<std::uint64_t>();
  entry.floor.place.number = reader.readLe<std::uint64_t>();
  entry.floor.sequence = reader.readLe<std::uint64_t>();
}

// A sum that wraps is below its first term, which brokenEndRule() refuses.
void readLists(ByteReader& reader, SpineEntry& entry) {
  const std::uint64_t endCount = reader.readVarint();
  std::uint64_t sequence = 0;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(endCount, kEpochEndsMax + 1); ++i) {
    EpochEnd& end = entry.ends.emplace_back();
    end.number = reader.readVarint();
    end.sequence = sequence += reader.readVarint();
    end.kept = end.sequence + reader.readVarint();
  }
  const std::uint64_t partCount = reader.readVarint();
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(partCount, kEntryPartsMax + 1); ++i) {
    RefsPart& part = entry.parts.emplace_back();
    part.size = reader.readVarint();
    part.hash = readSha256(reader);
  }
}

Result<SpineEntry> readEntry(Bytes bytes, const ExpectedEntry& expected) {
  if (Status start = chain_link::checkStart(bytes, kEntryMagic); !start.ok()) return start;
  if (bytes.size() > kEntrySizeMax) return Status::corrupt("it is too large");
  if (bytes.size() < kSmallestEntry) return Status::corrupt("it is cut short");
  const Bytes covered = bytes.first(bytes.size() - kEntryCrcSize);
  if (crc32c(covered) != loadLe<std::uint32_t>(bytes.data() + covered.size())) {
    return Status::corrupt("its checksum does not match");
  }
  ByteReader reader(covered.subspan(chain_link::kMagicSize + 1));
  SpineEntry entry;
  const auto kind = reader.readLe<std::uint8_t>();
  if (kind < 1 || kind > kEntryKindMax) return unknownType(kind, kEntryKindMax);
  entry.kind = EntryKind{kind};
  reader.readLe<std::uint16_t>();
  readFixed(reader, entry);
  const auto ack = reader.readLe<std::uint8_t>();
  entry.ack = AckMode{ack};
  entry.lagMaxMs = reader.readVarint();
  entry.node = reader.readText();
  entry.address = reader.readText();
  readLists(reader, entry);
  if (!reader.ok()) return Status::corrupt("it is cut short");
  if (ack < 1 || ack > kAckModeMax) return unknownType(ack, kAckModeMax);
  if (const char* broken = brokenEntryRule(entry)) return Status::corrupt(broken);
  if (entry.link.database != expected.database) return Status::corrupt("of another database");
  if (entry.number != expected.number) return Status::corrupt("it has another number");
  ByteBuffer written;
  appendEntry(written, entry);
  if (!std::ranges::equal(bytes, written)) return Status::corrupt("malformed");
  return entry;
}

}  // namespace

const EpochEnd* SpineEntry::endOf(std::uint64_t ended) const {
  if (ended < firstEndedEpoch() || ended >= epoch) return nullptr;
  return &ends[static_cast<std::size_t>(ended - firstEndedEpoch())];
}

std::uint64_t SpineEntry::refsSize() const {
  std::uint64_t size = 0;
  for (const RefsPart& part : parts) size += part.size;
  return size;
}

bool isNodeName(std::string_view text) {
  return !text.empty() && text.size() <= kNodeNameSizeMax && isPrintable(text);
}

void dropOldEnds(SpineEntry& entry) {
  const std::uint64_t first = entry.firstEndedEpoch();
  if (entry.ends.size() <= kEpochEndsKept || entry.floor.place.epoch <= first) return;
  const std::uint64_t old =
      std::min<std::uint64_t>(entry.ends.size() - kEpochEndsKept, entry.floor.place.epoch - first);
  entry.ends.erase(entry.ends.begin(), entry.ends.begin() + static_cast<std::ptrdiff_t>(old));
}

Result<ByteBuffer> encodeEntry(const SpineEntry& entry) {
  const std::string what = "entry " + std::to_string(entry.number);
  if (const char* broken = brokenEntryRule(entry)) return Status::invalid(what + ": " + broken);
  ByteBuffer out;
  appendEntry(out, entry);
  if (out.size() > kEntrySizeMax) return Status::invalid(what + ": it is too large");
  return out;
}

Result<SpineEntry> decodeEntry(Bytes bytes, const ExpectedEntry& expected) {
  Result<SpineEntry> read = readEntry(bytes, expected);
  if (read.ok()) return read;
  return chain_link::named("entry " + std::to_string(expected.number), read.status());
}

}  // namespace seriesdb
