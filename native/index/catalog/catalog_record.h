// The place of CATALOG, its record types and the gone record. Internal to catalog/. See
// docs/format/catalog.md.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "common/encoding/packed.h"
#include "common/file/file_system.h"
#include "common/types/file_names.h"
#include "format/log/log_file.h"
#include "index/series_index.h"

namespace seriesdb {

// Record types, on disk: do not renumber.
enum CatalogRecordType : std::uint8_t {
  kSeriesRecord = 1,
  kDescriptorRecord = 2,
  // As kSeriesRecord, but series left out before a recorded one are gone.
  kSparseSeriesRecord = 3,
  // Series left out before its number are gone.
  kGoneRecord = 4,
  // The type of another record, and that record's payload, packed.
  kPackedRecord = 5,
};
inline bool isOfSeries(std::uint8_t type) {
  return type == kSeriesRecord || type == kSparseSeriesRecord;
}

// A record's content, unpacked if necessary.
struct PlainRecord {
  std::uint8_t type;
  ByteBuffer room;
  Bytes payload;  // A view into `room` or into the original record.
};
inline Result<PlainRecord> plainRecord(const LogRecord& record) {
  PlainRecord plain{record.type, {}, record.payload};
  if (record.type != kPackedRecord) return plain;
  ByteReader reader(record.payload);
  plain.type = reader.readLe<std::uint8_t>();
  const auto packed = readPacked(reader);
  if (!packed.ok()) return packed.status();
  if (plain.type == kPackedRecord || !reader.atEnd())
    return Status::corrupt("malformed packed record");
  auto bytes = unpack(packed.value());
  if (!bytes.ok()) return bytes.status();
  plain.room = std::move(bytes).value();
  plain.payload = plain.room;
  return plain;
}

// How many records are unpacked ahead, and the most threads that do so.
inline constexpr std::size_t kRecordsAhead = 4;
inline constexpr std::size_t kRecordReadersMax = 4;

// Restores all of CATALOG into `index`, and counts its definitions. Fails as readCatalog().
Result<LogReadReport> restoreCatalog(FileSystem& fs, const std::string& directory,
                                     SeriesIndex& index, std::uint64_t& definitionCount);

inline LogPlace catalogIn(const std::string& directory) {
  return {directory, std::string(file_names::kCatalog), LogKind::kCatalog};
}

inline Result<std::uint32_t> decodeGone(Bytes payload) {
  ByteReader reader(payload);
  const std::uint64_t end = reader.readVarint();
  if (!reader.ok() || !reader.atEnd() || end > kSeriesRefsMax) {
    return Status::corrupt("malformed series count");
  }
  return static_cast<std::uint32_t>(end);
}

}  // namespace seriesdb
