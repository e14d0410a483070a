// Reads CATALOG record by record.
#include <optional>
#include <utility>

#include "common/base/later_program.h"
#include "common/base/parallel.h"
#include "index/catalog/catalog.h"
#include "index/catalog/catalog_record.h"

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

Status visitPlain(const PlainRecord& plain, const CatalogVisitor& visitor) {
  const auto& [type, room, payload] = plain;
  switch (type) {
    case kSeriesRecord:
    case kSparseSeriesRecord:
      return visitSeries(payload, type == kSparseSeriesRecord, visitor);
    case kGoneRecord:
      return visitGone(payload, visitor);
    case kDescriptorRecord:
      return visitDescriptors(payload, visitor);
    default:
      return unknownType(type, kPackedRecord);
  }
}

Status visitRecord(const LogRecord& record, const CatalogVisitor& visitor) {
  const auto plain = plainRecord(record);
  return plain.ok() ? visitPlain(plain.value(), visitor) : plain.status();
}

Result<LogReadReport> checkHeader(const LogPlace& place, Result<LogReadReport> report) {
  if (!report.ok() || report.value().validSize != 0) return report;
  return Status::corrupt(place.path() + ": the header is cut short at offset 0");
}

// A record that was read ahead, and its series.
struct RecordLoad {
  PlainRecord plain;
  SeriesLoad series;
  Status status;
};

Status loadSeries(RecordLoad& load) {
  const bool isSparse = load.plain.type == kSparseSeriesRecord;
  const auto before = isSparse ? SeriesLoad::LeftOut::kGone : SeriesLoad::LeftOut::kRefused;
  std::vector<Label> labels;
  ByteReader reader(load.plain.payload);
  while (reader.ok() && !reader.atEnd()) {
    const auto series = decodeSeriesView(reader, labels);
    if (!series.ok()) return series.status();
    if (Status added = load.series.add(series.value(), before); !added.ok()) return added;
  }
  return {};
}

RecordLoad loadRecord(const LogRecord& record, const SeriesIndex& index) {
  RecordLoad load{{}, index.emptyLoad(), {}};
  auto plain = plainRecord(record);
  load.status = plain.status();
  if (!plain.ok()) return load;
  load.plain = std::move(plain).value();
  if (isOfSeries(load.plain.type)) load.status = loadSeries(load);
  return load;
}

Status restoreRecord(const RecordLoad& load, SeriesIndex& index) {
  if (!load.status.ok()) return load.status;
  if (isOfSeries(load.plain.type)) return index.restoreAll(load.series);
  return visitPlain(load.plain, {{},
                                 [&](const std::string& metric, const Descriptor& one) {
                                   return index.mergeDescriptor(metric, viewOf(one)).status();
                                 },
                                 [&](std::uint32_t end) { return index.skip(end); }});
}

}  // namespace

Result<LogReadReport> readCatalog(FileSystem& fs, const std::string& directory,
                                  const CatalogVisitor& visitor) {
  const LogPlace place = catalogIn(directory);
  return checkHeader(place, readWholeLog(fs, place, [&](const LogRecord& record) {
                       return visitRecord(record, visitor);
                     }));
}

Result<LogReadReport> restoreCatalog(FileSystem& fs, const std::string& directory,
                                     SeriesIndex& index, std::uint64_t& definitionCount) {
  const LogPlace place = catalogIn(directory);
  const auto content = readLogContent(fs, place);
  if (!content.ok()) return content.status();
  const std::vector<LogRecord>& records = content.value().records;
  std::vector<std::optional<RecordLoad>> ahead(kRecordsAhead);
  Status restored;
  const auto prepare = [&](std::size_t number) {
    ahead[number % kRecordsAhead].emplace(loadRecord(records[number], index));
  };
  const auto take = [&](std::size_t number) {
    auto& load = ahead[number % kRecordsAhead];
    const Status taken = restoreRecord(*load, index);
    if (!taken.ok()) restored = recordProblem(place, records[number], taken);
    definitionCount += load->series.series().size();
    load.reset();
    return taken.ok();
  };
  runOrdered({records.size(), kRecordsAhead, prepare, take}, kRecordReadersMax);
  if (!restored.ok()) return restored;
  return checkHeader(place, content.value().report);
}

}  // namespace seriesdb
