// Groups for tests and fuzz targets.
#pragma once

#include <cstdint>
#include <random>

#include "bucket/group.h"
#include "format/log/log_file.h"

namespace seriesdb::test {

inline LogGroup emptyGroup() {
  LogGroup group;
  group.link.database = {1, 2, 3};
  group.link.nonce = {7};
  group.link.before = sha256(asBytes("before"));
  group.place = {3, 17};
  group.file = 5;
  group.firstSequence = 100;
  group.lastSequence = 99;
  return group;
}

inline LogGroup sealGroup() {
  LogGroup group = emptyGroup();
  group.kind = GroupKind::kSeal;
  group.file = group.firstSequence = group.lastSequence = 0;
  return group;
}

// Adds the next record.
inline void addRecord(LogGroup& group, std::size_t payloadSize, std::uint8_t byte = 'x') {
  appendRecord(group.records, 1, ++group.lastSequence, ByteBuffer(payloadSize, byte));
}

inline LogGroup randomGroup(std::mt19937_64& random, std::size_t countMax) {
  LogGroup group = emptyGroup();
  group.firstSequence = 1 + random() % 1'000'000;
  group.lastSequence = group.firstSequence - 1;
  for (std::size_t count = random() % (countMax + 1); count > 0; --count) {
    addRecord(group, random() % 200, static_cast<std::uint8_t>(random()));
  }
  return group;
}

inline ExpectedGroup expectedOf(const LogGroup& group) {
  return {group.link.database, group.place};
}

}  // namespace seriesdb::test
