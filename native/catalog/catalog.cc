#include "catalog/catalog.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "model/file_names.h"

namespace seriesdb {

namespace {

// Types of records, on disk: do not renumber.
constexpr std::uint8_t kSeriesRecord = 1;
constexpr std::uint8_t kDescriptorRecord = 2;
// As the first, but series that are left out before one are gone.
constexpr std::uint8_t kSparseSeriesRecord = 3;
// Series that are left out before its number are gone.
constexpr std::uint8_t kGoneRecord = 4;

// Definitions that are in memory while all are written.
constexpr std::size_t kSeriesAtATime = 16384;

LogPlace placeIn(const std::string& directory) {
  return {directory, std::string(file_names::kCatalog), LogKind::kCatalog};
}

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

// Adds `items` as records of about kRecordSizeAimed.
template <typename Item, typename Encode>
Status addAll(LogBatch& batch, std::uint8_t type, std::span<const Item> items,
              const Encode& encode) {
  for (std::size_t i = 0; i < items.size();) {
    const auto added = batch.add(type, [&](ByteBuffer& out) {
      while (i < items.size() && out.size() < kRecordSizeAimed) encode(out, items[i++]);
    });
    if (!added.ok()) return added.status();
  }
  return {};
}

Status addSeries(LogBatch& batch, std::uint8_t type, std::span<const SeriesDefinition> series) {
  return addAll(batch, type, series, &encodeSeriesDefinition);
}

Status addDescriptors(LogBatch& batch,
                      std::span<const std::pair<std::string, Descriptor>> descriptors) {
  return addAll(batch, kDescriptorRecord, descriptors,
                [](ByteBuffer& out, const std::pair<std::string, Descriptor>& one) {
                  encodeDescriptor(out, one.first, viewOf(one.second));
                });
}

struct Living {
  std::uint64_t count = 0;
  std::uint32_t end = 0;  // All from here on are gone.
};

// All series below `seriesCount` that are not gone.
Status addLiving(LogBatch& batch, const SeriesIndex& index, std::uint32_t seriesCount,
                 Living& living) {
  auto& [count, end] = living;
  bool isSparse = false;
  std::vector<SeriesDefinition> some;
  for (std::uint32_t ref = 0; ref < seriesCount;) {
    for (some.clear(); ref < seriesCount && some.size() < kSeriesAtATime; ++ref) {
      if (!index.has(ref)) continue;
      isSparse = isSparse || ref > end;
      end = ref + 1;
      some.push_back(index.definition(ref));
    }
    const Status added = addSeries(batch, isSparse ? kSparseSeriesRecord : kSeriesRecord, some);
    if (!added.ok()) return added;
    count += some.size();
  }
  return {};
}

Status addGone(LogBatch& batch, std::uint32_t end) {
  return batch.add(kGoneRecord, [&](ByteBuffer& out) { appendVarint(out, end); }).status();
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

}  // namespace

Catalog::Catalog(Key, FileSystem& fs, const std::string& directory)
    : fs_(fs), directory_(directory), log_(fs, placeIn(directory)) {}

Result<std::unique_ptr<Catalog>> Catalog::resume(FileSystem& fs, const std::string& directory,
                                                 const SeriesIndex& index) {
  const LogPlace place = placeIn(directory);
  CatalogMatch match(index);
  const auto take = [&match](const LogRecord& record) { return match.take(record); };
  const auto found = readLog(fs, place, take);
  if (!found.ok()) return found.status();
  const bool isBegun = found.value().validSize != 0 && found.value().firstSequence <= 1;
  if (!isBegun || !match.isWhole() || (match.isBeyond() && !match.hasAny())) {
    return Status::corrupt(place.path() + " does not hold what the commit does");
  }
  auto catalog = std::make_unique<Catalog>(Key{}, fs, directory);
  const Status opened = catalog->log_.open(match.report(found.value()));
  if (!opened.ok()) return opened;
  catalog->definitionCount_ = match.definitionCount();
  return catalog;
}

Status Catalog::replaceWith(const SeriesIndex& index, std::uint32_t seriesCount,
                            const Descriptors& descriptors) {
  Living living;
  const Status replaced = log_.replace([&](LogBatch& batch) -> Status {
    Status added = addLiving(batch, index, seriesCount, living);
    if (added.ok()) added = addDescriptors(batch, descriptors);
    if (added.ok() && living.end < seriesCount) added = addGone(batch, seriesCount);
    return added;
  });
  if (replaced.ok()) definitionCount_ = living.count;
  return replaced;
}

Result<std::unique_ptr<Catalog>> Catalog::replace(FileSystem& fs, const std::string& directory,
                                                  const SeriesIndex& index,
                                                  std::uint32_t seriesCount) {
  Descriptors descriptors;
  index.forEachDescriptor([&](std::string_view metric, const Descriptor& one) {
    descriptors.emplace_back(metric, one);
  });
  auto catalog = std::make_unique<Catalog>(Key{}, fs, directory);
  const Status replaced = catalog->replaceWith(index, seriesCount, descriptors);
  if (!replaced.ok()) return replaced;
  return catalog;
}

Status Catalog::rewrite(const SeriesIndex& index, std::uint32_t seriesCount) {
  if (!failure().ok()) return failure();
  // Those of the index may be of requests that the log does not hold yet.
  Descriptors descriptors;
  const auto found = readCatalog(fs_, directory_,
                                 {[](const SeriesDefinition&) { return Status(); },
                                  [&](const std::string& metric, const Descriptor& one) {
                                    descriptors.emplace_back(metric, one);
                                    return Status();
                                  },
                                  [](std::uint32_t) { return Status(); }});
  if (!found.ok()) return found.status();
  return replaceWith(index, seriesCount, descriptors);
}

Result<std::unique_ptr<Catalog>> Catalog::create(FileSystem& fs, const std::string& directory) {
  auto catalog = std::make_unique<Catalog>(Key{}, fs, directory);
  if (Status created = catalog->log_.create(); !created.ok()) return created;
  return catalog;
}

Result<LogReadReport> readCatalog(FileSystem& fs, const std::string& directory,
                                  const CatalogVisitor& visitor) {
  const LogPlace place = placeIn(directory);
  auto report = readWholeLog(
      fs, place, [&](const LogRecord& record) { return visitRecord(record, visitor); });
  if (!report.ok() || report.value().validSize != 0) return report;
  return Status::corrupt(place.path() + ": the header is cut short at offset 0");
}

Result<std::unique_ptr<Catalog>> Catalog::open(FileSystem& fs, const std::string& directory,
                                               SeriesIndex& index) {
  auto catalog = std::make_unique<Catalog>(Key{}, fs, directory);
  const CatalogVisitor restore{
      [&](const SeriesDefinition& definition) {
        ++catalog->definitionCount_;
        return index.restore(definition);
      },
      [&](const std::string& metric, const Descriptor& descriptor) {
        return index.mergeDescriptor(metric, viewOf(descriptor)).status();
      },
      [&](std::uint32_t end) { return index.skip(end); }};
  const auto found = readCatalog(fs, directory, restore);
  if (!found.ok()) return found.status();
  if (Status opened = catalog->log_.open(found.value()); !opened.ok()) return opened;
  return catalog;
}

Status Catalog::append(std::span<const SeriesDefinition> series,
                       std::span<const std::pair<std::string, Descriptor>> descriptors) {
  if (!failure().ok()) return failure();
  if (series.empty() && descriptors.empty()) return {};
  const Status appended = log_.append([&](LogBatch& batch) -> Status {
    const Status added = addSeries(batch, kSeriesRecord, series);
    return added.ok() ? addDescriptors(batch, descriptors) : added;
  });
  if (appended.ok()) definitionCount_ += series.size();
  return appended;
}

}  // namespace seriesdb
