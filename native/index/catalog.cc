#include "index/catalog.h"

#include <algorithm>
#include <unordered_set>

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

// Whether a log says just what an index knows.
class CatalogMatch {
 public:
  explicit CatalogMatch(const SeriesIndex& index) : index_(index) {}

  // A record with anything that the index does not know ends what counts.
  Status take(const LogRecord& record) {
    if (isBeyond_) return {};
    const std::uint64_t before = seriesCount_;
    partsOfRecord_.clear();
    ByteReader reader(record.payload);
    while (reader.ok() && !reader.atEnd() && !isBeyond_) {
      const Status taken = record.type == kSeriesRecord ? takeSeries(reader) : takeParts(reader);
      if (!taken.ok()) return taken;
    }
    if (isBeyond_) {
      seriesCount_ = before;
      return {};
    }
    parts_.merge(partsOfRecord_);
    report_.validSize = record.offset + record.payload.size();
    report_.lastSequence = record.sequence;
    return {};
  }

  bool isWhole() const {
    std::size_t parts = 0;
    index_.forEachDescriptor([&parts](std::string_view, const Descriptor& one) {
      parts += static_cast<std::size_t>(one.kind.has_value()) +
               static_cast<std::size_t>(one.unit.has_value()) +
               static_cast<std::size_t>(one.description.has_value());
    });
    return seriesCount_ == index_.createdCount() && parts_.size() == parts;
  }
  // What counts, when there is more behind it.
  LogReadReport report(const LogReadReport& found) const {
    LogReadReport report = found;
    if (!isBeyond_) return report;
    report.hasTornTail = true;
    report.validSize = report_.validSize;
    report.lastSequence = report_.lastSequence;
    return report;
  }
  bool hasAny() const { return report_.validSize != 0; }
  bool isBeyond() const { return isBeyond_; }

 private:
  Status takeSeries(ByteReader& reader) {
    const auto definition = decodeSeriesDefinition(reader);
    if (!definition.ok()) return definition.status();
    const SeriesDefinition& found = definition.value();
    isBeyond_ = found.ref >= index_.createdCount();
    if (isBeyond_) return {};
    const SeriesDefinition known = index_.definition(found.ref);
    const bool isSame = known.id == found.id && known.name == found.name &&
                        known.labels == found.labels;
    if (!isSame) return Status::corrupt("another series " + std::to_string(found.ref));
    // A series may be recorded twice.
    seriesCount_ = std::max<std::uint64_t>(seriesCount_, std::uint64_t{found.ref} + 1);
    return {};
  }

  Status takeParts(ByteReader& reader) {
    const auto decoded = decodeDescriptor(reader);
    if (!decoded.ok()) return decoded.status();
    const auto& [metric, found] = decoded.value();
    const Descriptor known = index_.descriptorOf(metric);
    takePart('k', metric, {found.kind, known.kind});
    takePart('u', metric, {found.unit, known.unit});
    takePart('d', metric, {found.description, known.description});
    return {};
  }
  struct Part {
    const std::optional<std::string>& found;
    const std::optional<std::string>& known;
  };
  void takePart(char name, const std::string& metric, Part part) {
    if (!part.found) return;
    if (part.found != part.known) {
      isBeyond_ = true;
      return;
    }
    partsOfRecord_.insert(std::string(1, name) + metric);
  }

  const SeriesIndex& index_;
  LogReadReport report_;
  std::uint64_t seriesCount_ = 0;
  std::unordered_set<std::string> parts_;
  std::unordered_set<std::string> partsOfRecord_;
  bool isBeyond_ = false;
};

std::string temporaryCatalog() {
  std::string name(file_names::kCatalog);
  return name.append(file_names::kTemporarySuffix);
}

}  // namespace

Result<std::unique_ptr<Catalog>> Catalog::resume(FileSystem& fs, const std::string& directory,
                                                 const SeriesIndex& index) {
  const std::string path = file_names::join(directory, file_names::kCatalog);
  CatalogMatch match(index);
  const auto found = readLog(fs, path, LogKind::kCatalog, kFileNumber,
                             [&](const LogRecord& record) { return match.take(record); });
  if (!found.ok()) return found.status();
  const bool isBegun = found.value().validSize != 0 && found.value().firstSequence <= 1;
  if (!isBegun || !match.isWhole() || (match.isBeyond() && !match.hasAny())) {
    return Status::corrupt(path + " does not hold what the commit does");
  }
  auto file = fs.openAppend(path);
  if (!file.ok()) return file.status();
  if (Status synced = file.value()->sync(); !synced.ok()) return synced;
  return std::make_unique<Catalog>(Key{}, std::move(file).value(), match.report(found.value()));
}

Result<std::unique_ptr<Catalog>> Catalog::replace(FileSystem& fs, const std::string& directory,
                                                  const SeriesIndex& index,
                                                  std::uint32_t seriesCount) {
  const std::string temporary = file_names::join(directory, temporaryCatalog());
  if (Status removed = removeLeftover(fs, temporary); !removed.ok()) return removed;
  auto file = createLog(fs, directory, temporaryCatalog(), LogKind::kCatalog, kFileNumber);
  if (!file.ok()) return file.status();
  std::vector<SeriesDefinition> series;
  for (std::uint32_t ref = 0; ref < seriesCount; ++ref) series.push_back(index.definition(ref));
  std::vector<std::pair<std::string, Descriptor>> descriptors;
  index.forEachDescriptor([&](std::string_view metric, const Descriptor& one) {
    descriptors.emplace_back(metric, one);
  });
  Catalog written(Key{}, std::move(file).value(), LogReadReport{});
  Status done = written.append(series, descriptors);
  if (done.ok()) {
    done = fs.rename(temporary, file_names::join(directory, file_names::kCatalog));
  }
  if (done.ok()) done = fs.syncDirectory(directory);
  if (!done.ok()) return done;
  auto reopened = fs.openAppend(file_names::join(directory, file_names::kCatalog));
  if (!reopened.ok()) return reopened.status();
  LogReadReport report;
  report.lastSequence = written.nextSequence_ - 1;
  return std::make_unique<Catalog>(Key{}, std::move(reopened).value(), report);
}

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
