#include "format/manifest/manifest_record.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "format/log/log_file.h"
#include "format/manifest/segment_record.h"

namespace seriesdb {
namespace {

constexpr std::uint8_t kRecordVersion = 1;
// Adds the annotation count. Each record has the lowest version that can hold its content.
constexpr std::uint8_t kVersionWithAnnotations = 2;
// Adds tombstones.
constexpr std::uint8_t kVersionWithTombstones = 3;
// Adds the segment facts that compaction needs, raised floors and classes.
constexpr std::uint8_t kVersionWithPlaces = 4;
// Adds the retention clock and mark.
constexpr std::uint8_t kVersionWithRetention = 5;
constexpr std::uint8_t kClockFlag = 1;
constexpr std::uint8_t kMarkFlag = 2;
// Adds edit number, series count and segment hashes, for commits.
constexpr std::uint8_t kVersionWithHashes = 6;

void appendRetention(ByteBuffer& out, const ManifestEdit& edit) {
  out.push_back(static_cast<std::uint8_t>((edit.retentionClock ? kClockFlag : 0) |
                                          (edit.retentionMark ? kMarkFlag : 0)));
  if (edit.retentionClock) appendVarint(out, zigzag(*edit.retentionClock));
  if (edit.retentionMark) appendLe(out, *edit.retentionMark);
}

Status readRetention(ByteReader& reader, ManifestEdit& edit) {
  const auto flags = reader.readLe<std::uint8_t>();
  if (flags > (kClockFlag | kMarkFlag)) return Status::corrupt("unknown retention flags");
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
    return Status::corrupt("an impossible tombstone count");
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t sequence = reader.readVarint();
    if (sequence > kSequenceMax) return Status::corrupt("an impossible tombstone sequence");
    auto tombstone = decodeTombstone(reader);
    if (!tombstone.ok()) return tombstone.status();
    tombstone.value().sequence = sequence;
    tombstones.push_back(std::make_shared<const Tombstone>(std::move(tombstone).value()));
  }
  return {};
}

// Reads the part behind the tombstones, from version 4 on.
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

// Reads the last part, which only version 6 has.
Status readHashes(ByteReader& reader, ManifestEdit& edit) {
  edit.number = reader.readVarint();
  edit.seriesCount = reader.readVarint();
  const std::uint64_t hashed = reader.readVarint();
  if (std::max(edit.number, edit.seriesCount) > kSequenceMax) {
    return Status::corrupt("a number exceeds its limit");
  }
  if (hashed > reader.rest().size()) return Status::corrupt("more hashes than bytes");
  edit.hashed.resize(static_cast<std::size_t>(hashed));
  for (SegmentHash& one : edit.hashed) {
    one.number = reader.readVarint();
    one.hash = readSha256(reader);
  }
  return {};
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
  if (reader.ok() && version > kVersionWithHashes) {
    return Status(StatusCode::kConfiguration,
                  "record version " + std::to_string(version) +
                      " was written by a newer seriesdb; this one reads version " +
                      std::to_string(kVersionWithHashes));
  }
  if (reader.ok() && version < kRecordVersion) {
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
    return Status::corrupt("a number exceeds its limit");
  }
  const std::uint64_t removed = reader.readVarint();
  if (removed > reader.rest().size()) return Status::corrupt("more removals than bytes");
  record.edit.removed.resize(static_cast<std::size_t>(removed));
  for (std::uint64_t& number : record.edit.removed) number = reader.readVarint();
  const std::uint64_t added = reader.readVarint();
  if (added > reader.rest().size() / kSegmentFactsSizeMin) {
    return Status::corrupt("more additions than bytes");
  }
  record.edit.added.resize(static_cast<std::size_t>(added));
  for (SegmentFacts& facts : record.edit.added) {
    const bool isRead =
        readFacts(reader, facts) &&
        (version < kVersionWithPlaces || readPlace(reader, facts, version >= kVersionWithHashes));
    if (!isRead) return Status::corrupt("malformed segment facts");
  }
  Status read;
  if (version >= kVersionWithTombstones) read = readTombstones(reader, record.edit.tombstones);
  if (read.ok() && version >= kVersionWithPlaces) read = readPlan(reader, record.edit);
  if (read.ok() && version >= kVersionWithRetention) read = readRetention(reader, record.edit);
  if (read.ok() && version >= kVersionWithHashes) read = readHashes(reader, record.edit);
  if (!read.ok()) return read;
  if (!reader.ok() || !reader.atEnd()) return Status::corrupt("wrong length");
  // Each record is written in the lowest version that can hold it.
  if (version != versionOf(edit)) return Status::corrupt("a higher version than its content needs");
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

}  // namespace seriesdb
