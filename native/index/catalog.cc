#include "index/catalog.h"

#include "model/file_names.h"

namespace seriesdb {

namespace {

constexpr std::uint8_t kSeriesRecord = 1;
constexpr std::uint8_t kDescriptorRecord = 2;

// CATALOG is one file for ever.
constexpr std::uint64_t kFileNumber = 1;

// A record is closed and written once it has grown past this, far below kRecordPayloadSizeMax,
// which bounds the memory that writing and reading a record take.
constexpr std::size_t kRecordSizeAimed = 4u << 20;

Status visitSeries(Bytes payload, const CatalogVisitor& visitor) {
  ByteReader reader(payload);
  while (reader.ok() && !reader.atEnd()) {
    const auto definition = decodeSeriesDefinition(reader);
    if (!definition.ok()) return definition.status();
    if (Status status = visitor.onSeries(definition.value()); !status.ok()) return status;
  }
  return {};
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
  switch (record.type) {
    case kSeriesRecord:
      return visitSeries(record.payload, visitor);
    case kDescriptorRecord:
      return visitDescriptors(record.payload, visitor);
    default:
      return Status::corrupt("unknown type " + std::to_string(record.type));
  }
}

// Writes `items` as records of about kRecordSizeAimed, one write each.
template <typename Item, typename Encode>
Status appendAll(WritableFile& file, std::uint64_t syncedSize, std::uint64_t& nextSequence,
                 std::uint8_t type, std::span<const Item> items, const Encode& encode) {
  ByteBuffer out;
  for (std::size_t i = 0; i < items.size();) {
    if (Status status = checkRecordNumber(nextSequence); !status.ok()) return status;
    out.clear();
    const std::size_t begin = beginRecord(out, type, nextSequence++, file.size() == syncedSize);
    while (i < items.size() && out.size() < kRecordSizeAimed) encode(out, items[i++]);
    endRecord(out, begin);
    if (Status status = file.append(out); !status.ok()) return status;
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Catalog>> Catalog::create(FileSystem& fs, const std::string& directory) {
  auto file =
      createLog(fs, directory, std::string(file_names::kCatalog), LogKind::kCatalog, kFileNumber);
  if (!file.ok()) return file.status();
  return std::make_unique<Catalog>(Key{}, std::move(file).value(), LogReadReport{});
}

Result<LogReadReport> readCatalog(FileSystem& fs, const std::string& directory,
                                  const CatalogVisitor& visitor) {
  const std::string path = file_names::join(directory, file_names::kCatalog);
  const auto visit = [&](const LogRecord& record) {
    Status status = visitRecord(record, visitor);
    if (status.ok()) return status;
    return Status::corrupt(path + ": record " + std::to_string(record.sequence) + ": " +
                           status.message());
  };
  auto report = readLog(fs, path, LogKind::kCatalog, kFileNumber, visit);
  if (!report.ok()) return report;
  const LogReadReport& found = report.value();
  if (found.validSize == 0) return Status::corrupt(path + ": the header is cut short at offset 0");
  if (found.firstSequence > 1) return Status::corrupt(path + ": the first record is missing");
  return report;
}

Result<std::unique_ptr<Catalog>> Catalog::open(FileSystem& fs, const std::string& directory,
                                               SeriesIndex& index) {
  const CatalogVisitor restore{
      [&](const SeriesDefinition& definition) { return index.restore(definition); },
      [&](const std::string& metric, const Descriptor& descriptor) {
        return index.mergeDescriptor(metric, viewOf(descriptor)).status();
      }};
  const auto found = readCatalog(fs, directory, restore);
  if (!found.ok()) return found.status();
  auto file = fs.openAppend(file_names::join(directory, file_names::kCatalog));
  if (!file.ok()) return file.status();
  // The last append may have been written and not synced, and what was restored here counts as
  // recorded from now on.
  Status status = file.value()->sync();
  if (!status.ok()) return status;
  return std::make_unique<Catalog>(Key{}, std::move(file).value(), found.value());
}

Status Catalog::append(std::span<const SeriesDefinition> series,
                       std::span<const std::pair<std::string, Descriptor>> descriptors) {
  if (!failure_.ok()) return failure_;
  if (series.empty() && descriptors.empty()) return {};
  if (tornAt_) {
    failure_ = file_->truncate(*tornAt_);
    if (!failure_.ok()) return failure_;
    tornAt_.reset();
  }

  const std::uint64_t size = file_->size();
  const std::uint64_t sequence = nextSequence_;
  Status status =
      appendAll(*file_, size, nextSequence_, kSeriesRecord, series, &encodeSeriesDefinition);
  if (status.ok()) {
    status = appendAll(*file_, size, nextSequence_, kDescriptorRecord, descriptors,
                       [](ByteBuffer& out, const std::pair<std::string, Descriptor>& one) {
                         encodeDescriptor(out, one.first, viewOf(one.second));
                       });
  }
  if (status.ok()) {
    failure_ = file_->sync();
    return failure_;
  }
  // On a full disk the log goes back to what it was, and a later call may succeed.
  const Status cut = file_->truncate(size);
  if (!cut.ok() || status.code() != StatusCode::kStorageUnavailable) failure_ = status;
  nextSequence_ = sequence;
  return status;
}

}  // namespace seriesdb
