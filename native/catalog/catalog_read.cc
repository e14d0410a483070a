// What CATALOG says, record by record.
#include "catalog/catalog.h"
#include "catalog/catalog_record.h"

namespace seriesdb {
namespace {

Status visitSeries(Bytes payload, bool isSparse, const CatalogVisitor& visitor) {
  ByteReader reader(payload);
  while (reader.ok() && !reader.atEnd()) {
    const auto definition = decodeSeriesDefinition(reader);
    if (!definition.ok()) return definition.status();
    if (isSparse) {
      if (Status status = visitor.onGone(definition.value().ref); !status.ok()) return status;
    }
    if (Status status = visitor.onSeries(definition.value()); !status.ok()) return status;
  }
  return {};
}

Status visitGone(Bytes payload, const CatalogVisitor& visitor) {
  const auto end = decodeGone(payload);
  return end.ok() ? visitor.onGone(end.value()) : end.status();
}

Status visitDescriptors(Bytes payload, const CatalogVisitor& visitor) {
  ByteReader reader(payload);
  while (reader.ok() && !reader.atEnd()) {
    const auto decoded = decodeDescriptor(reader);
    if (!decoded.ok()) return decoded.status();
    const auto& [metric, descriptor] = decoded.value();
    if (Status status = visitor.onDescriptor(metric, descriptor); !status.ok()) return status;
  }
  return {};
}

Status visitRecord(const LogRecord& record, const CatalogVisitor& visitor) {
  const auto plain = plainRecord(record);
  if (!plain.ok()) return plain.status();
  const auto& [type, room, payload] = plain.value();
  switch (type) {
    case kSeriesRecord:
    case kSparseSeriesRecord:
      return visitSeries(payload, type == kSparseSeriesRecord, visitor);
    case kGoneRecord:
      return visitGone(payload, visitor);
    case kDescriptorRecord:
      return visitDescriptors(payload, visitor);
    default:
      return Status::corrupt("unknown type " + std::to_string(type));
  }
}

}  // namespace

Result<LogReadReport> readCatalog(FileSystem& fs, const std::string& directory,
                                  const CatalogVisitor& visitor) {
  const LogPlace place = catalogIn(directory);
  auto report = readWholeLog(
      fs, place, [&](const LogRecord& record) { return visitRecord(record, visitor); });
  if (!report.ok() || report.value().validSize != 0) return report;
  return Status::corrupt(place.path() + ": the header is cut short at offset 0");
}

}  // namespace seriesdb
