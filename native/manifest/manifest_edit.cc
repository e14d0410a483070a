// Encoding, decoding and application of manifest records.
#include "manifest/manifest_edit.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "log/log_file.h"

namespace seriesdb {
namespace {

constexpr std::uint8_t kRecordVersion = 1;
// With an annotation count; a record without one is written as before.
constexpr std::uint8_t kVersionWithAnnotations = 2;
// With tombstones too; a record without any is written as before.
constexpr std::uint8_t kVersionWithTombstones = 3;
// With what compaction needs of segments; a record without any of it is written as before.
constexpr std::uint8_t kVersionWithPlaces = 4;
// With what retention goes by; a record without any of it is written as before.
constexpr std::uint8_t kVersionWithRetention = 5;
constexpr std::uint8_t kClockFlag = 1;
constexpr std::uint8_t kMarkFlag = 2;
// With what commits need; a record without any of it is written as before.
constexpr std::uint8_t kVersionWithHashes = 6;
constexpr std::uint8_t kPlaceFlag = 1;
constexpr std::uint8_t kFinalFlag = 2;
constexpr std::uint8_t kHashFlag = 4;  // From kVersionWithHashes on.
constexpr std::uint64_t kFactsSizeMin = 12;  // Eight varints and a checksum.

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

// What version 4 says of a segment beyond the others.
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

}  // namespace

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

namespace {

void appendRetention(ByteBuffer& out, const ManifestEdit& edit) {
  out.push_back(static_cast<std::uint8_t>((edit.retentionClock ? kClockFlag : 0) |
                                          (edit.retentionMark ? kMarkFlag : 0)));
  if (edit.retentionClock) appendVarint(out, zigzag(*edit.retentionClock));
  if (edit.retentionMark) appendLe(out, *edit.retentionMark);
}

Status readRetention(ByteReader& reader, ManifestEdit& edit) {
  const auto flags = reader.readLe<std::uint8_t>();
  if (flags > (kClockFlag | kMarkFlag)) return Status::corrupt("unknown flags of retention");
  if ((flags & kClockFlag) != 0) edit.retentionClock = unzigzag(reader.readVarint());
  if ((flags & kMarkFlag) != 0) edit.retentionMark = reader.readLe<std::uint64_t>();
  return {};
}

std::uint8_t versionOf(const ManifestEdit& edit) {
  const bool hasHashes = std::any_of(edit.added.begin(), edit.added.end(),
                                     [](const auto& facts) { return facts.hash.has_value(); });
  if (edit.number != 0 || edit.seriesCount != 0 || hasHashes || !edit.hashed.empty()) {
    return kVersionWithHashes;
  }
  if (edit.retentionClock || edit.retentionMark) return kVersionWithRetention;
  const bool hasPlaces = std::any_of(edit.added.begin(), edit.added.end(), hasPlace);
  if (hasPlaces || !edit.raised.empty() || !edit.classes.empty()) return kVersionWithPlaces;
  if (!edit.tombstones.empty()) return kVersionWithTombstones;
  return edit.annotationCount == 0 ? kRecordVersion : kVersionWithAnnotations;
}

Status readTombstones(ByteReader& reader, Tombstones& tombstones) {
  const std::uint64_t count = reader.readVarint();
  if (!reader.ok() || count > reader.rest().size()) {
    return Status::corrupt("a bad number of tombstones");
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t sequence = reader.readVarint();
    if (sequence > kSequenceMax) return Status::corrupt("an impossible sequence of a tombstone");
    auto tombstone = decodeTombstone(reader);
    if (!tombstone.ok()) return tombstone.status();
    tombstone.value().sequence = sequence;
    tombstones.push_back(std::make_shared<const Tombstone>(std::move(tombstone).value()));
  }
  return {};
}

// What comes behind the tombstones from version 4 on.
Status readPlan(ByteReader& reader, ManifestEdit& edit) {
  const std::uint64_t raised = reader.readVarint();
  if (raised > reader.rest().size()) return Status::corrupt("more raised floors than bytes");
  edit.raised.resize(static_cast<std::size_t>(raised));
  for (FloorRaise& one : edit.raised) {
    one.number = reader.readVarint();
    one.erasedThrough = reader.readVarint();
    if (one.erasedThrough > kSequenceMax) return Status::corrupt("an impossible floor");
  }
  const std::uint64_t classes = reader.readVarint();
  if (classes > reader.rest().size()) return Status::corrupt("more classes than bytes");
  edit.classes.resize(static_cast<std::size_t>(classes));
  for (CompactionClass& one : edit.classes) {
    if (!readCompactionClass(reader, one)) return Status::corrupt("a malformed class of series");
  }
  return {};
}

// What only version 6 has behind that.
Status readHashes(ByteReader& reader, ManifestEdit& edit) {
  edit.number = reader.readVarint();
  edit.seriesCount = reader.readVarint();
  const std::uint64_t hashed = reader.readVarint();
  if (std::max(edit.number, edit.seriesCount) > kSequenceMax) {
    return Status::corrupt("a number past the limit");
  }
  if (hashed > reader.rest().size()) return Status::corrupt("more hashes than bytes");
  edit.hashed.resize(static_cast<std::size_t>(hashed));
  for (SegmentHash& one : edit.hashed) {
    one.number = reader.readVarint();
    one.hash = readSha256(reader);
  }
  return {};
}

bool numberLess(const SegmentFacts& facts, std::uint64_t number) { return facts.number < number; }

std::vector<SegmentFacts>::iterator findSegment(std::vector<SegmentFacts>& all,
                                                std::uint64_t number) {
  const auto found = std::lower_bound(all.begin(), all.end(), number, numberLess);
  return found != all.end() && found->number == number ? found : all.end();
}

// Whether the class of the segment's partition is known, and has slots of that width.
bool isPlaced(const ManifestState& state, const SegmentFacts& facts) {
  if (!facts.place) return true;
  const std::uint32_t number = facts.place->classNumber;
  const auto of = std::ranges::lower_bound(state.classes, number, {}, &CompactionClass::number);
  return of != state.classes.end() && of->number == number && of->leaf == facts.place->width;
}

Status applySegments(ManifestState& state, const ManifestEdit& edit) {
  // Additions first: a number that is removed by the same edit is still taken.
  for (const SegmentFacts& facts : edit.added) {
    const std::uint64_t number = facts.number;
    const auto at =
        std::lower_bound(state.segments.begin(), state.segments.end(), number, numberLess);
    const bool taken = at != state.segments.end() && at->number == number;
    if (taken || number == 0 || number == std::numeric_limits<std::uint64_t>::max()) {
      return Status::invalid("segment " + std::to_string(number) + " cannot be added");
    }
    if (!isPlaced(state, facts)) {
      return Status::invalid("segment " + std::to_string(number) + " is in no partition there is");
    }
    if (facts.tsMin > facts.tsMax) {
      return Status::invalid("segment " + std::to_string(number) + " ends before it begins");
    }
    state.segments.insert(at, facts);
    state.nextSegment = std::max(state.nextSegment, number + 1);
  }
  for (const std::uint64_t number : edit.removed) {
    const auto at = findSegment(state.segments, number);
    if (at == state.segments.end()) {
      return Status::invalid("segment " + std::to_string(number) + " is not there to be removed");
    }
    state.segments.erase(at);
  }
  for (const FloorRaise& raise : edit.raised) {
    const auto at = findSegment(state.segments, raise.number);
    if (at == state.segments.end() || raise.erasedThrough <= at->floor()) {
      return Status::invalid("the floor of segment " + std::to_string(raise.number) +
                             " cannot be raised");
    }
    at->erasedThrough = raise.erasedThrough;
  }
  for (const SegmentHash& one : edit.hashed) {
    const auto at = findSegment(state.segments, one.number);
    if (at == state.segments.end() || at->hash) {
      return Status::invalid("segment " + std::to_string(one.number) + " cannot get a hash");
    }
    at->hash = one.hash;
  }
  return {};
}

// Classes of older versions that no segment is in. None will be: what is written goes to the last
// version, or to the class that it comes from.
void forgetClasses(ManifestState& state) {
  if (state.classes.empty()) return;
  const std::uint32_t last = state.classes.back().version;
  const auto isLast = [last](const CompactionClass& one) { return one.version == last; };
  if (std::all_of(state.classes.begin(), state.classes.end(), isLast)) return;
  std::vector<std::uint32_t> used;
  for (const SegmentFacts& facts : state.segments) {
    if (facts.place) used.push_back(facts.place->classNumber);
  }
  std::sort(used.begin(), used.end());
  std::erase_if(state.classes, [&](const CompactionClass& one) {
    return !isLast(one) && !std::binary_search(used.begin(), used.end(), one.number);
  });
}

}  // namespace

void appendManifestRecord(ByteBuffer& out, const ManifestRecord& record) {
  const ManifestEdit& edit = record.edit;
  const std::uint8_t version = versionOf(edit);
  out.push_back(version);
  appendVarint(out, edit.walFloor);
  appendVarint(out, edit.flushedSequence);
  appendVarint(out, record.nextSegment);
  if (version != kRecordVersion) appendVarint(out, edit.annotationCount);
  appendVarint(out, edit.removed.size());
  for (const std::uint64_t number : edit.removed) appendVarint(out, number);
  appendVarint(out, edit.added.size());
  for (const SegmentFacts& facts : edit.added) {
    appendFacts(out, facts);
    if (version >= kVersionWithPlaces) appendPlace(out, facts);
  }
  if (version < kVersionWithTombstones) return;
  appendVarint(out, edit.tombstones.size());
  for (const auto& one : edit.tombstones) {
    appendVarint(out, one->sequence);
    encodeTombstone(out, *one);
  }
  if (version < kVersionWithPlaces) return;
  appendVarint(out, edit.raised.size());
  for (const FloorRaise& one : edit.raised) {
    appendVarint(out, one.number);
    appendVarint(out, one.erasedThrough);
  }
  appendVarint(out, edit.classes.size());
  for (const CompactionClass& one : edit.classes) appendCompactionClass(out, one);
  if (version >= kVersionWithRetention) appendRetention(out, edit);
  if (version < kVersionWithHashes) return;
  appendVarint(out, edit.number);
  appendVarint(out, edit.seriesCount);
  appendVarint(out, edit.hashed.size());
  for (const SegmentHash& one : edit.hashed) {
    appendVarint(out, one.number);
    appendBytes(out, one.hash.bytes);
  }
}

Result<ManifestRecord> parseManifestRecord(Bytes payload) {
  ByteReader reader(payload);
  const auto version = reader.readLe<std::uint8_t>();
  if (reader.ok() && (version < kRecordVersion || version > kVersionWithHashes)) {
    return Status::corrupt("unknown version " + std::to_string(version));
  }
  ManifestRecord record;
  record.edit.walFloor = reader.readVarint();
  record.edit.flushedSequence = reader.readVarint();
  record.nextSegment = reader.readVarint();
  if (version >= kVersionWithAnnotations) record.edit.annotationCount = reader.readVarint();
  const ManifestEdit& edit = record.edit;
  if (std::max({edit.walFloor, edit.flushedSequence, edit.annotationCount, record.nextSegment}) >
      kSequenceMax) {
    return Status::corrupt("a number past the limit");
  }
  const std::uint64_t removed = reader.readVarint();
  if (removed > reader.rest().size()) return Status::corrupt("more removals than bytes");
  record.edit.removed.resize(static_cast<std::size_t>(removed));
  for (std::uint64_t& number : record.edit.removed) number = reader.readVarint();
  const std::uint64_t added = reader.readVarint();
  if (added > reader.rest().size() / kFactsSizeMin) {
    return Status::corrupt("more additions than bytes");
  }
  record.edit.added.resize(static_cast<std::size_t>(added));
  for (SegmentFacts& facts : record.edit.added) {
    const bool isRead = readFacts(reader, facts) &&
                        (version < kVersionWithPlaces ||
                         readPlace(reader, facts, version >= kVersionWithHashes));
    if (!isRead) return Status::corrupt("malformed facts of a segment");
  }
  Status read;
  if (version >= kVersionWithTombstones) read = readTombstones(reader, record.edit.tombstones);
  if (read.ok() && version >= kVersionWithPlaces) read = readPlan(reader, record.edit);
  if (read.ok() && version >= kVersionWithRetention) read = readRetention(reader, record.edit);
  if (read.ok() && version >= kVersionWithHashes) read = readHashes(reader, record.edit);
  if (!read.ok()) return read;
  if (!reader.ok() || !reader.atEnd()) return Status::corrupt("wrong length");
  // Each record is written in the oldest version that can say it.
  if (version != versionOf(edit)) return Status::corrupt("a version that says nothing more");
  return record;
}

ManifestRecord snapshotRecord(const ManifestState& state) {
  ManifestRecord record;
  record.edit.added = state.segments;
  record.edit.walFloor = state.walFloor;
  record.edit.flushedSequence = state.flushedSequence;
  record.edit.annotationCount = state.annotationCount;
  record.edit.tombstones = state.tombstones;
  record.edit.classes = state.classes;
  record.edit.retentionClock = state.retentionClock;
  if (state.retentionMark != 0) record.edit.retentionMark = state.retentionMark;
  record.edit.number = state.editNumber;
  record.edit.seriesCount = state.seriesCount;
  record.nextSegment = state.nextSegment;
  return record;
}

Status applyEdit(ManifestState& state, const ManifestEdit& edit) {
  if (edit.number != 0) {
    if (edit.number <= state.editNumber) return Status::invalid("the edits' numbers must ascend");
    state.editNumber = edit.number;
  }
  if (edit.seriesCount != 0) {
    if (edit.seriesCount < state.seriesCount) return Status::invalid("the series cannot get fewer");
    state.seriesCount = edit.seriesCount;
  }
  for (const CompactionClass& one : edit.classes) {
    if (!state.classes.empty() && one.number <= state.classes.back().number) {
      return Status::invalid("the numbers of classes must ascend");
    }
    state.classes.push_back(one);
  }
  if (edit.retentionClock) state.retentionClock = edit.retentionClock;
  if (edit.retentionMark) state.retentionMark = *edit.retentionMark;
  const Status applied = applySegments(state, edit);
  if (!applied.ok()) return applied;
  if (!edit.removed.empty() || !edit.classes.empty()) forgetClasses(state);
  if (edit.walFloor != 0) {
    if (edit.walFloor < state.walFloor) return Status::invalid("the WAL floor cannot fall");
    state.walFloor = edit.walFloor;
  }
  if (edit.flushedSequence != 0) {
    if (edit.flushedSequence < state.flushedSequence) {
      return Status::invalid("the flushed sequence cannot fall");
    }
    state.flushedSequence = edit.flushedSequence;
  }
  if (edit.annotationCount != 0) {
    if (edit.annotationCount < state.annotationCount) {
      return Status::invalid("the annotation count cannot fall");
    }
    state.annotationCount = edit.annotationCount;
  }
  for (const auto& one : edit.tombstones) {
    if (!state.tombstones.empty() && one->sequence <= state.tombstones.back()->sequence) {
      return Status::invalid("the sequences of tombstones must ascend");
    }
    std::erase_if(state.tombstones, [&one](const auto& earlier) { return one->covers(*earlier); });
    state.tombstones.push_back(one);
  }
  std::erase_if(state.tombstones, [&state](const auto& one) {
    return std::none_of(state.segments.begin(), state.segments.end(),
                        [&](const SegmentFacts& facts) { return isMasked(facts, *one); });
  });
  return {};
}

}  // namespace seriesdb
