#include "index/catalog/catalog_codec.h"

#include <limits>

#include "common/base/later_program.h"
#include "common/types/identity.h"

namespace seriesdb {

namespace {

constexpr std::uint8_t kHasKind = 1;
constexpr std::uint8_t kHasUnit = 2;
constexpr std::uint8_t kHasDescription = 4;
constexpr std::uint8_t kAllCatalogParts = kHasKind | kHasUnit | kHasDescription;

std::uint8_t partsOf(const DescriptorView& descriptor) {
  return static_cast<std::uint8_t>((descriptor.kind ? kHasKind : 0) |
                                   (descriptor.unit ? kHasUnit : 0) |
                                   (descriptor.description ? kHasDescription : 0));
}

std::optional<std::string_view> viewOfPart(const std::optional<std::string>& part) {
  if (!part) return std::nullopt;
  return std::string_view(*part);
}

}  // namespace

void encodeSeriesDefinition(ByteBuffer& out, const SeriesDefinition& definition) {
  appendVarint(out, definition.ref);
  appendLe<std::uint64_t>(out, definition.id);
  appendText(out, definition.name);
  appendVarint(out, definition.labels.size());
  for (const auto& [key, value] : definition.labels) {
    appendText(out, key);
    appendText(out, value);
  }
}

Result<SeriesView> decodeSeriesView(ByteReader& reader, std::vector<Label>& labels) {
  const std::uint64_t ref = reader.readVarint();
  SeriesView series;
  series.id = reader.readLe<std::uint64_t>();
  series.name = reader.readText();
  const std::uint64_t labelCount = reader.readVarint();
  if (!reader.ok()) return Status::corrupt("a series definition is cut short");
  if (ref > std::numeric_limits<SeriesRef>::max()) {
    return Status::corrupt("a series number exceeds 32 bits");
  }
  if (labelCount > kLabelCountMax) return Status::corrupt("a series has too many labels");

  series.ref = static_cast<SeriesRef>(ref);
  labels.clear();
  for (std::uint64_t i = 0; i < labelCount; ++i) {
    const std::string_view key = reader.readText();
    labels.push_back({key, reader.readText()});
  }
  if (!reader.ok()) return Status::corrupt("the labels of a series are cut short");
  series.labels = labels;
  return series;
}

Result<SeriesDefinition> decodeSeriesDefinition(ByteReader& reader) {
  std::vector<Label> labels;
  const auto decoded = decodeSeriesView(reader, labels);
  if (!decoded.ok()) return decoded.status();
  const SeriesView& series = decoded.value();
  SeriesDefinition definition{series.ref, series.id, std::string(series.name), {}};
  definition.labels.reserve(labels.size());
  for (const auto& [key, value] : labels) definition.labels.emplace_back(key, value);
  return definition;
}

void encodeDescriptor(ByteBuffer& out, std::string_view metric, const DescriptorView& descriptor) {
  out.push_back(partsOf(descriptor));
  appendText(out, metric);
  if (descriptor.kind) appendText(out, *descriptor.kind);
  if (descriptor.unit) appendText(out, *descriptor.unit);
  if (descriptor.description) appendText(out, *descriptor.description);
}

Result<std::pair<std::string, Descriptor>> decodeDescriptor(ByteReader& reader) {
  const auto parts = reader.readLe<std::uint8_t>();
  std::pair<std::string, Descriptor> decoded;
  decoded.first = reader.readText();
  if (parts & kHasKind) decoded.second.kind = reader.readText();
  if (parts & kHasUnit) decoded.second.unit = reader.readText();
  if (parts & kHasDescription) decoded.second.description = reader.readText();
  if (!reader.ok()) return Status::corrupt("a descriptor is cut short");
  if (parts & ~kAllCatalogParts) return laterProgram("a part of a descriptor");
  return decoded;
}

DescriptorView viewOf(const Descriptor& descriptor) {
  return {viewOfPart(descriptor.kind), viewOfPart(descriptor.unit),
          viewOfPart(descriptor.description)};
}

}  // namespace seriesdb
