#include "index/catalog.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "model/file_names.h"

namespace seriesdb {

namespace {

constexpr std::uint8_t kSeriesRecord = 1;
constexpr std::uint8_t kDescriptorRecord = 2;
// As the first, but series that are left out before one are gone.
constexpr std::uint8_t kSparseSeriesRecord = 3;
// Series that are left out before its number are gone.
constexpr std::uint8_t kGoneRecord = 4;

// CATALOG is one file for ever.
constexpr std::uint64_t kFileNumber = 1;

// Definitions that are in memory while all are written.
constexpr std::size_t kSeriesAtATime = 16384;

// A record is closed and written once it has grown past this, far below kRecordPayloadSizeMax,
// which bounds the memory that writing and reading a record take.
constexpr std::size_t kRecordSizeAimed = 4u << 20;

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

Result<std::uint32_t> decodeGone(Bytes payload) {
  ByteReader reader(payload);
  const std::uint64_t end = reader.readVarint();
  if (!reader.ok() || !reader.atEnd() || end > kSeriesRefsMax) {
    return Status::corrupt("a malformed number of series");
  }
  return static_cast<std::uint32_t>(end);
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
  switch (record.type) {
    case kSeriesRecord:
    case kSparseSeriesRecord:
      return visitSeries(record.payload, record.type == kSparseSeriesRecord, visitor);
    case kGoneRecord:
      return visitGone(record.payload, visitor);
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
    const std::uint64_t definitions = definitionCount_;
    partsOfRecord_.clear();
    if (Status taken = takeRecord(record); !taken.ok()) return taken;
    if (isBeyond_) {
      seriesCount_ = before;
      definitionCount_ = definitions;
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
  std::uint64_t definitionCount() const { return definitionCount_; }

 private:
  Status takeRecord(const LogRecord& record) {
    if (record.type == kGoneRecord) {
      const auto end = decodeGone(record.payload);
      return end.ok() ? takeGone(end.value()) : end.status();
    }
    ByteReader reader(record.payload);
    while (reader.ok() && !reader.atEnd() && !isBeyond_) {
      const Status taken = record.type == kDescriptorRecord
                               ? takeParts(reader)
                               : takeSeries(reader, record.type == kSparseSeriesRecord);
      if (!taken.ok()) return taken;
    }
    return {};
  }

  // What it lacks must be gone.
  Status takeGone(std::uint32_t end) {
    isBeyond_ = end > index_.createdCount();
    if (isBeyond_) return {};
    for (; seriesCount_ < end; ++seriesCount_) {
      if (!index_.has(static_cast<SeriesRef>(seriesCount_))) continue;
      return Status::corrupt("without series " + std::to_string(seriesCount_));
    }
    return {};
  }

  Status takeSeries(ByteReader& reader, bool isSparse) {
    const auto definition = decodeSeriesDefinition(reader);
    if (!definition.ok()) return definition.status();
    const SeriesDefinition& found = definition.value();
    isBeyond_ = found.ref >= index_.createdCount();
    if (isBeyond_) return {};
    if (isSparse) {
      if (Status gone = takeGone(found.ref); !gone.ok()) return gone;
    }
    if (index_.has(found.ref)) {
      const SeriesDefinition known = index_.definition(found.ref);
      const bool isSame =
          known.id == found.id && known.name == found.name && known.labels == found.labels;
      if (!isSame) return Status::corrupt("another series " + std::to_string(found.ref));
    }
    ++definitionCount_;
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
  std::uint64_t definitionCount_ = 0;
  std::unordered_set<std::string> parts_;
  std::unordered_set<std::string> partsOfRecord_;
  bool isBeyond_ = false;
};

std::string temporaryCatalog() {
  std::string name(file_names::kCatalog);
  return name.append(file_names::kTemporarySuffix);
}

std::string temporaryPath(const std::string& directory) {
  return file_names::join(directory, temporaryCatalog());
}

Status putInPlace(FileSystem& fs, const std::string& directory) {
  return fs.rename(temporaryPath(directory), file_names::join(directory, file_names::kCatalog));
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
  return std::make_unique<Catalog>(Key{}, std::move(file).value(), match.report(found.value()),
                                   match.definitionCount());
}

Result<std::unique_ptr<Catalog>> Catalog::writeTemporary(FileSystem& fs,
                                                         const std::string& directory,
                                                         const SeriesIndex& index,
                                                         std::uint32_t seriesCount,
                                                         const Descriptors& descriptors) {
  if (Status removed = removeLeftover(fs, temporaryPath(directory)); !removed.ok()) return removed;
  auto file = createLog(fs, directory, temporaryCatalog(), LogKind::kCatalog, kFileNumber);
  if (!file.ok()) return file.status();
  auto written = std::make_unique<Catalog>(Key{}, std::move(file).value(), LogReadReport{}, 0);
  std::uint32_t end = 0;
  bool isSparse = false;
  std::vector<SeriesDefinition> some;
  for (std::uint32_t ref = 0; ref < seriesCount;) {
    for (some.clear(); ref < seriesCount && some.size() < kSeriesAtATime; ++ref) {
      if (!index.has(ref)) continue;
      isSparse = isSparse || ref > end;
      end = ref + 1;
      some.push_back(index.definition(ref));
    }
    Status done = written->write(isSparse ? kSparseSeriesRecord : kSeriesRecord, some, {});
    if (!done.ok()) return done;
    written->definitionCount_ += some.size();
  }
  Status done = written->write(kSeriesRecord, {}, descriptors);
  if (done.ok() && end < seriesCount) done = written->writeGone(seriesCount);
  if (done.ok()) done = written->file_->sync();
  if (!done.ok()) return done;
  return written;
}

// What was written as the temporary one is now the one.
Status Catalog::settle(FileSystem& fs, const std::string& directory) {
  if (Status synced = fs.syncDirectory(directory); !synced.ok()) return synced;
  auto reopened = fs.openAppend(file_names::join(directory, file_names::kCatalog));
  if (!reopened.ok()) return reopened.status();
  file_ = std::move(reopened).value();
  return {};
}

Result<std::unique_ptr<Catalog>> Catalog::replace(FileSystem& fs, const std::string& directory,
                                                  const SeriesIndex& index,
                                                  std::uint32_t seriesCount) {
  Descriptors descriptors;
  index.forEachDescriptor([&](std::string_view metric, const Descriptor& one) {
    descriptors.emplace_back(metric, one);
  });
  auto written = writeTemporary(fs, directory, index, seriesCount, descriptors);
  if (!written.ok()) return written;
  Status done = putInPlace(fs, directory);
  if (done.ok()) done = written.value()->settle(fs, directory);
  if (!done.ok()) return done;
  return written;
}

Status Catalog::rewrite(FileSystem& fs, const std::string& directory, const SeriesIndex& index,
                        std::uint32_t seriesCount) {
  if (!failure_.ok()) return failure_;
  // Those of the index may be of requests that the log does not hold yet.
  Descriptors descriptors;
  const auto found = readCatalog(fs, directory,
                                 {[](const SeriesDefinition&) { return Status(); },
                                  [&](const std::string& metric, const Descriptor& one) {
                                    descriptors.emplace_back(metric, one);
                                    return Status();
                                  },
                                  [](std::uint32_t) { return Status(); }});
  if (!found.ok()) return found.status();
  auto written = writeTemporary(fs, directory, index, seriesCount, descriptors);
  if (!written.ok()) {
    // Perhaps for want of room, which it takes.
    static_cast<void>(removeLeftover(fs, temporaryPath(directory)).ok());
    return written.status();
  }
  const Status renamed = putInPlace(fs, directory);
  if (!renamed.ok()) {
    if (renamed.code() != StatusCode::kStorageUnavailable) failure_ = renamed;
    return renamed;
  }
  *this = std::move(*written.value());
  failure_ = settle(fs, directory);
  return failure_;
}

Result<std::unique_ptr<Catalog>> Catalog::create(FileSystem& fs, const std::string& directory) {
  auto file =
      createLog(fs, directory, std::string(file_names::kCatalog), LogKind::kCatalog, kFileNumber);
  if (!file.ok()) return file.status();
  return std::make_unique<Catalog>(Key{}, std::move(file).value(), LogReadReport{}, 0);
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
  std::uint64_t definitions = 0;
  const CatalogVisitor restore{
      [&](const SeriesDefinition& definition) {
        ++definitions;
        return index.restore(definition);
      },
      [&](const std::string& metric, const Descriptor& descriptor) {
        return index.mergeDescriptor(metric, viewOf(descriptor)).status();
      },
      [&](std::uint32_t end) { return index.skip(end); }};
  const auto found = readCatalog(fs, directory, restore);
  if (!found.ok()) return found.status();
  auto file = fs.openAppend(file_names::join(directory, file_names::kCatalog));
  if (!file.ok()) return file.status();
  // The last append may have been written and not synced, and what was restored here counts as
  // recorded from now on.
  Status status = file.value()->sync();
  if (!status.ok()) return status;
  return std::make_unique<Catalog>(Key{}, std::move(file).value(), found.value(), definitions);
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
  Status status = write(kSeriesRecord, series, descriptors);
  if (status.ok()) {
    definitionCount_ += series.size();
    failure_ = file_->sync();
    return failure_;
  }
  // On a full disk the log goes back to what it was, and a later call may succeed.
  const Status cut = file_->truncate(size);
  if (!cut.ok() || status.code() != StatusCode::kStorageUnavailable) failure_ = status;
  nextSequence_ = sequence;
  return status;
}

Status Catalog::write(std::uint8_t type, std::span<const SeriesDefinition> series,
                      std::span<const std::pair<std::string, Descriptor>> descriptors) {
  const std::uint64_t size = file_->size();
  Status status = appendAll(*file_, size, nextSequence_, type, series, &encodeSeriesDefinition);
  if (!status.ok()) return status;
  return appendAll(*file_, size, nextSequence_, kDescriptorRecord, descriptors,
                   [](ByteBuffer& out, const std::pair<std::string, Descriptor>& one) {
                     encodeDescriptor(out, one.first, viewOf(one.second));
                   });
}

Status Catalog::writeGone(std::uint32_t end) {
  const std::array ends{end};
  return appendAll(*file_, file_->size() + 1, nextSequence_, kGoneRecord,
                   std::span<const std::uint32_t>(ends),
                   [](ByteBuffer& out, std::uint32_t one) { appendVarint(out, one); });
}

}  // namespace seriesdb
