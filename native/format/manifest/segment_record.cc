#include "format/manifest/segment_record.h"

#include <limits>
#include <utility>

namespace seriesdb {
namespace {

constexpr std::uint8_t kPlaceFlag = 1;
constexpr std::uint8_t kFinalFlag = 2;
constexpr std::uint8_t kHashFlag = 4;  // From record version 6 on.

}  // namespace

void appendFacts(ByteBuffer& out, const SegmentFacts& facts) {
  appendVarint(out, facts.number);
  appendVarint(out, facts.fileSize);
  appendLe(out, facts.fileCrc);
  appendVarint(out, facts.sampleCount);
  appendVarint(out, facts.chunkCount);
  appendVarint(out, facts.seriesCount);
  appendVarint(out, zigzag(facts.tsMin));
  appendVarint(out, zigzag(facts.tsMax));
  appendVarint(out, facts.sequenceMax);
}

bool readFacts(ByteReader& reader, SegmentFacts& facts) {
  facts.number = reader.readVarint();
  facts.fileSize = reader.readVarint();
  facts.fileCrc = reader.readLe<std::uint32_t>();
  facts.sampleCount = reader.readVarint();
  facts.chunkCount = reader.readVarint();
  const std::uint64_t seriesCount = reader.readVarint();
  facts.tsMin = unzigzag(reader.readVarint());
  facts.tsMax = unzigzag(reader.readVarint());
  facts.sequenceMax = reader.readVarint();
  if (seriesCount > std::numeric_limits<std::uint32_t>::max()) return false;
  facts.seriesCount = static_cast<std::uint32_t>(seriesCount);
  return reader.ok() && facts.number != 0 && facts.number <= kSequenceMax &&
         facts.sequenceMax <= kSequenceMax && facts.tsMin <= facts.tsMax;
}

// The facts that record version 4 adds.
void appendPlace(ByteBuffer& out, const SegmentFacts& facts) {
  appendVarint(out, facts.sequenceMin);
  appendVarint(out, facts.erasedThrough);
  appendVarint(out, facts.codecs);
  out.push_back(static_cast<std::uint8_t>((facts.place ? kPlaceFlag : 0) |
                                          (facts.isFinal ? kFinalFlag : 0) |
                                          (facts.hash ? kHashFlag : 0)));
  if (facts.place) {
    appendVarint(out, facts.place->classNumber);
    out.push_back(static_cast<std::uint8_t>(facts.place->width));
    appendVarint(out, zigzag(facts.place->slot));
  }
  appendVarint(out, zigzag(facts.isFinal ? facts.closedAt : facts.frozenAt));
  if (facts.hash) appendBytes(out, facts.hash->bytes);
}

bool readPlace(ByteReader& reader, SegmentFacts& facts, bool mayHaveHash) {
  facts.sequenceMin = reader.readVarint();
  facts.erasedThrough = reader.readVarint();
  const std::uint64_t codecs = reader.readVarint();
  const auto flags = reader.readLe<std::uint8_t>();
  if (flags > (kPlaceFlag | kFinalFlag | (mayHaveHash ? kHashFlag : 0))) return false;
  if ((flags & kPlaceFlag) != 0) {
    const std::uint64_t classNumber = reader.readVarint();
    const auto width = reader.readLe<std::uint8_t>();
    const std::int64_t slot = unzigzag(reader.readVarint());
    if (classNumber > UINT32_MAX || width > static_cast<std::uint8_t>(kWidestSlot)) return false;
    facts.place = {static_cast<std::uint32_t>(classNumber), SlotWidth{width}, slot};
  }
  facts.isFinal = (flags & kFinalFlag) != 0;
  (facts.isFinal ? facts.closedAt : facts.frozenAt) = unzigzag(reader.readVarint());
  if ((flags & kHashFlag) != 0) facts.hash = readSha256(reader);
  if (codecs > UINT32_MAX || (facts.isFinal && !facts.place)) return false;
  facts.codecs = static_cast<std::uint32_t>(codecs);
  return reader.ok() && facts.sequenceMin <= facts.sequenceMax &&
         facts.erasedThrough <= kSequenceMax;
}

bool hasPlace(const SegmentFacts& facts) {
  return facts.sequenceMin != 0 || facts.erasedThrough != 0 || facts.codecs != 0 || facts.place ||
         facts.frozenAt != 0;
}

void appendCompactionClass(ByteBuffer& out, const CompactionClass& one) {
  appendVarint(out, one.number);
  appendVarint(out, one.version);
  appendVarint(out, zigzag(one.keep));
  out.push_back(static_cast<std::uint8_t>(one.leaf));
  appendVarint(out, zigzag(one.atticEnd));
  appendVarint(out, zigzag(one.loftStart));
}

bool readCompactionClass(ByteReader& reader, CompactionClass& one) {
  const std::uint64_t number = reader.readVarint();
  const std::uint64_t version = reader.readVarint();
  one.keep = unzigzag(reader.readVarint());
  const auto leaf = reader.readLe<std::uint8_t>();
  one.atticEnd = unzigzag(reader.readVarint());
  one.loftStart = unzigzag(reader.readVarint());
  if (!reader.ok() || number > UINT32_MAX || version > UINT32_MAX || one.keep <= 0 ||
      leaf > static_cast<std::uint8_t>(kWidestSlot) || one.atticEnd > one.loftStart) {
    return false;
  }
  one.number = static_cast<std::uint32_t>(number);
  one.version = static_cast<std::uint32_t>(version);
  one.leaf = SlotWidth{leaf};
  return true;
}

void appendSegmentFacts(ByteBuffer& out, const SegmentFacts& facts) {
  appendFacts(out, facts);
  appendPlace(out, facts);
}

bool readSegmentFacts(ByteReader& reader, SegmentFacts& facts) {
  return readFacts(reader, facts) && readPlace(reader, facts, true);
}

}  // namespace seriesdb
