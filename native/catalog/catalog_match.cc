#include "catalog/catalog_match.h"

#include <algorithm>

#include "catalog/catalog_codec.h"
#include "catalog/catalog_record.h"

namespace seriesdb {

Status CatalogMatch::take(const LogRecord& record) {
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

bool CatalogMatch::isWhole() const {
  std::size_t parts = 0;
  index_.forEachDescriptor([&parts](std::string_view, const Descriptor& one) {
    parts += static_cast<std::size_t>(one.kind.has_value()) +
             static_cast<std::size_t>(one.unit.has_value()) +
             static_cast<std::size_t>(one.description.has_value());
  });
  return seriesCount_ == index_.createdCount() && parts_.size() == parts;
}

LogReadReport CatalogMatch::report(const LogReadReport& found) const {
  LogReadReport report = found;
  if (!isBeyond_) return report;
  report.hasTornTail = true;
  report.validSize = report_.validSize;
  report.lastSequence = report_.lastSequence;
  return report;
}

Status CatalogMatch::takeRecord(const LogRecord& record) {
  const auto plain = plainRecord(record);
  if (!plain.ok()) return plain.status();
  const auto& [type, room, payload] = plain.value();
  if (type == kGoneRecord) {
    const auto end = decodeGone(payload);
    return end.ok() ? takeGone(end.value()) : end.status();
  }
  ByteReader reader(payload);
  while (reader.ok() && !reader.atEnd() && !isBeyond_) {
    const Status taken = type == kDescriptorRecord
                             ? takeParts(reader)
                             : takeSeries(reader, type == kSparseSeriesRecord);
    if (!taken.ok()) return taken;
  }
  return {};
}

Status CatalogMatch::takeGone(std::uint32_t end) {
  isBeyond_ = end > index_.createdCount();
  if (isBeyond_) return {};
  for (; seriesCount_ < end; ++seriesCount_) {
    if (!index_.has(static_cast<SeriesRef>(seriesCount_))) continue;
    return Status::corrupt("without series " + std::to_string(seriesCount_));
  }
  return {};
}

// Than the one that the index has, if it has one.
bool CatalogMatch::isAnother(const SeriesDefinition& found) const {
  if (!index_.has(found.ref)) return false;
  const SeriesDefinition known = index_.definition(found.ref);
  return known.id != found.id || known.name != found.name || known.labels != found.labels;
}

Status CatalogMatch::takeSeries(ByteReader& reader, bool isSparse) {
  const auto definition = decodeSeriesDefinition(reader);
  if (!definition.ok()) return definition.status();
  const SeriesDefinition& found = definition.value();
  isBeyond_ = found.ref >= index_.createdCount();
  if (isBeyond_) return {};
  if (isSparse) {
    if (Status gone = takeGone(found.ref); !gone.ok()) return gone;
  }
  if (isAnother(found)) return Status::corrupt("another series " + std::to_string(found.ref));
  ++definitionCount_;
  // A series may be recorded twice.
  seriesCount_ = std::max<std::uint64_t>(seriesCount_, std::uint64_t{found.ref} + 1);
  return {};
}

Status CatalogMatch::takeParts(ByteReader& reader) {
  const auto decoded = decodeDescriptor(reader);
  if (!decoded.ok()) return decoded.status();
  const auto& [metric, found] = decoded.value();
  const Descriptor known = index_.descriptorOf(metric);
  takePart('k', metric, {found.kind, known.kind});
  takePart('u', metric, {found.unit, known.unit});
  takePart('d', metric, {found.description, known.description});
  return {};
}

void CatalogMatch::takePart(char name, const std::string& metric, Part part) {
  if (!part.found) return;
  if (part.found != part.known) {
    isBeyond_ = true;
    return;
  }
  partsOfRecord_.insert(std::string(1, name) + metric);
}

}  // namespace seriesdb
