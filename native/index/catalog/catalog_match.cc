#include "index/catalog/catalog_match.h"

#include <algorithm>

#include "common/base/later_program.h"
#include "index/catalog/catalog_codec.h"
#include "index/catalog/catalog_record.h"

namespace seriesdb {

CatalogMatch::Look CatalogMatch::look(const LogRecord& record) const {
  auto plain = plainRecord(record);
  if (!plain.ok()) return {{}, {}, plain.status()};
  Look look{std::move(plain).value(), {}, {}};
  if (isOfSeries(look.plain.type)) look.status = lookAtSeries(look);
  return look;
}

Status CatalogMatch::lookAtSeries(Look& look) const {
  const std::uint32_t known = index_.createdCount();
  std::vector<Label> labels;
  std::vector<Label> room;
  ByteReader reader(look.plain.payload);
  while (reader.ok() && !reader.atEnd()) {
    const auto found = decodeSeriesView(reader, labels);
    if (!found.ok()) return found.status();
    const SeriesRef ref = found.value().ref;
    look.series.push_back(ref);
    if (ref >= known) return {};
    if (isAnother(found.value(), room)) {
      return Status::corrupt("series " + std::to_string(ref) + " differs from the commit");
    }
  }
  return {};
}

Status CatalogMatch::take(const LogRecord& record, const Look& look) {
  if (isBeyond_) return {};
  if (!look.status.ok()) return look.status;
  const std::uint64_t before = seriesCount_;
  const std::uint64_t definitions = definitionCount_;
  partsOfRecord_.clear();
  if (Status taken = takeRecord(look); !taken.ok()) return taken;
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

Status CatalogMatch::takeRecord(const Look& look) {
  const auto& [type, room, payload] = look.plain;
  if (isOfSeries(type)) return takeSeries(look);
  if (type == kGoneRecord) {
    const auto end = decodeGone(payload);
    return end.ok() ? takeGone(end.value()) : end.status();
  }
  if (type != kDescriptorRecord) return unknownType(type, kPackedRecord);
  ByteReader reader(payload);
  while (reader.ok() && !reader.atEnd() && !isBeyond_) {
    if (Status taken = takeParts(reader); !taken.ok()) return taken;
  }
  return {};
}

Status CatalogMatch::takeGone(std::uint32_t end) {
  isBeyond_ = end > index_.createdCount();
  if (isBeyond_) return {};
  for (; seriesCount_ < end; ++seriesCount_) {
    if (!index_.has(static_cast<SeriesRef>(seriesCount_))) continue;
    return Status::corrupt("series " + std::to_string(seriesCount_) + " is missing");
  }
  return {};
}

// True if the index has another series under this ref.
bool CatalogMatch::isAnother(const SeriesView& found, std::vector<Label>& room) const {
  if (!index_.has(found.ref)) return false;
  if (index_.idOf(found.ref) != found.id || index_.nameOf(found.ref) != found.name) return true;
  index_.labelsOf(found.ref, room);
  return !std::ranges::equal(room, found.labels, [](const Label& a, const Label& b) {
    return a.key == b.key && a.value == b.value;
  });
}

Status CatalogMatch::takeSeries(const Look& look) {
  for (const SeriesRef ref : look.series) {
    isBeyond_ = ref >= index_.createdCount();
    if (isBeyond_) return {};
    if (look.plain.type == kSparseSeriesRecord) {
      if (Status gone = takeGone(ref); !gone.ok()) return gone;
    }
    ++definitionCount_;
    // CATALOG may record a series twice.
    seriesCount_ = std::max<std::uint64_t>(seriesCount_, std::uint64_t{ref} + 1);
  }
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
