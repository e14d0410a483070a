#include "ingest/remote_write/messages.h"

#include <bit>

#include "common/types/stale_marker.h"
#include "ingest/sent_labels.h"

namespace seriesdb {
namespace {

// A known field has only one type; another type means damage, as for Prometheus.
bool isOf(const WireField& field, WireType type) { return field.type == type; }

}  // namespace

bool readLabel(Bytes message, Label& label) {
  return readFields(message, [&label](const WireField& field) {
    if (field.number > 2) return true;
    if (!isOf(field, WireType::kBytes)) return false;
    (field.number == 1 ? label.key : label.value) = asText(field.bytes);
    return true;
  });
}

FamilyKind kindOf(std::uint64_t number) {
  constexpr auto kLast = static_cast<std::uint64_t>(FamilyKind::kStateset);
  return number > kLast ? FamilyKind::kUntold : static_cast<FamilyKind>(number);
}

std::size_t labelRunSize(Bytes series) {
  WireReader reader(series);
  WireField field;
  while (!reader.rest().empty() && reader.rest().front() == kLabelTag) {
    if (reader.next(field) != WireStep::kField) break;
  }
  return series.size() - reader.rest().size();
}

bool readContent(Bytes series, SeriesContent& content) {
  std::uint64_t* const counts[] = {nullptr, &content.labelCount, &content.sampleCount,
                                   &content.exemplarCount, &content.histogramCount};
  return readFields(series, [&counts](const WireField& field) {
    if (field.number >= std::size(counts)) return true;
    ++*counts[field.number];
    return isOf(field, WireType::kBytes);
  });
}

bool readLabels(Bytes series, std::vector<Label>& labels) {
  return forEach(series, kLabelField, [&labels](Bytes message) {
    if (labels.size() == kSentLabelsMax) return true;
    return readLabel(message, labels.emplace_back());
  });
}

bool readSample(Bytes message, SentSample& sample) {
  return readFields(message, [&sample](const WireField& field) {
    if (field.number == 1) {
      sample.value = field.asDouble();
      return isOf(field, WireType::kFixed64);
    }
    if (field.number != 2) return true;
    sample.ts = field.asSigned();
    return isOf(field, WireType::kVarint);
  });
}

bool readSoleSample(Bytes part, SentSample& sample) {
  constexpr std::uint8_t kSampleTag = kSampleField << 3 | 2;
  constexpr std::uint8_t kValueTag = 1 << 3 | 1;
  constexpr std::uint8_t kTsTag = 2 << 3;
  constexpr std::size_t kHeadSize = 2;
  constexpr std::size_t kValueSize = 1 + sizeof(double);
  if (part.size() < kHeadSize || part[0] != kSampleTag || part[1] != part.size() - kHeadSize) {
    return false;
  }
  const std::uint8_t* at = part.data() + kHeadSize;
  const std::uint8_t* const end = part.data() + part.size();
  // Zero values are omitted.
  if (end - at >= static_cast<std::ptrdiff_t>(kValueSize) && *at == kValueTag) {
    sample.value = loadLe<double>(at + 1);
    at += kValueSize;
  }
  if (at == end) return true;
  if (*at++ != kTsTag) return false;
  std::uint64_t ts = 0;
  for (unsigned shift = 0; at != end && shift < 63; shift += 7) {
    const std::uint8_t byte = *at++;
    ts |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte >= 0x80) continue;
    sample.ts = static_cast<std::int64_t>(ts);
    return at == end;
  }
  return false;
}

bool readHistogram(Bytes message, SentHistogram& histogram) {
  const bool isRead = readFields(message, [&histogram](const WireField& field) {
    switch (field.number) {
      case 1:  // A oneof with the next case.
        histogram.count = static_cast<double>(field.value);
        return isOf(field, WireType::kVarint);
      case 2:
        histogram.count = field.asDouble();
        return isOf(field, WireType::kFixed64);
      case 3:
        histogram.sum = field.asDouble();
        return isOf(field, WireType::kFixed64);
      case 15:
        histogram.ts = field.asSigned();
        return isOf(field, WireType::kVarint);
      default:
        return true;
    }
  });
  // A stale sum marks the end of the histogram's series.
  if (isStale(histogram.sum)) histogram.count = histogram.sum;
  return isRead;
}

bool readMetadata(Bytes message, MetricFamily& family) {
  const bool isRead = readFields(message, [&family](const WireField& field) {
    std::string_view* const texts[] = {nullptr, nullptr, &family.name, nullptr,
                                       &family.help, &family.unit};
    if (field.number == 1) {
      family.kind = kindOf(field.value);
      return isOf(field, WireType::kVarint);
    }
    if (field.number >= std::size(texts) || texts[field.number] == nullptr) return true;
    *texts[field.number] = asText(field.bytes);
    return isOf(field, WireType::kBytes);
  });
  family.mayLackTotal = !family.name.ends_with("_total");
  return isRead;
}

}  // namespace seriesdb
