// The messages of Prometheus' remote_write 1.0 (prompb/remote.proto, prompb/types.proto), as far as
// they are read.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/protobuf/wire_reader.h"
#include "common/types/identity.h"
#include "ingest/metric_family.h"

namespace seriesdb {

// Fields of a WriteRequest, and of a TimeSeries.
inline constexpr std::uint32_t kSeriesField = 1;
inline constexpr std::uint32_t kMetadataField = 3;
inline constexpr std::uint32_t kLabelField = 1;
inline constexpr std::uint32_t kSampleField = 2;
inline constexpr std::uint32_t kExemplarField = 3;
inline constexpr std::uint32_t kHistogramField = 4;
// Of a request of version 2.0: a field that 1.0 has not.
inline constexpr std::uint32_t kSecondSeriesField = 5;
// The tag of a label in a series, as every encoder writes it.
inline constexpr std::uint8_t kLabelTag = 1 << 3 | 2;

struct SentSample {
  double value = 0;
  std::int64_t ts = 0;
};

// A native histogram, without its buckets.
struct SentHistogram {
  double count = 0;
  double sum = 0;
  std::int64_t ts = 0;
};

// Of a number that later versions gave: untold.
FamilyKind kindOf(std::uint64_t number);

// What a series, or a part of one, is made of.
struct SeriesContent {
  std::uint64_t labelCount = 0;
  std::uint64_t sampleCount = 0;
  std::uint64_t exemplarCount = 0;
  std::uint64_t histogramCount = 0;
};

// Bytes of the labels that stand in front of a series, one behind the other.
std::size_t labelRunSize(Bytes series);

// False (all of them) when the message is damaged. What they return are views into it.
bool readContent(Bytes series, SeriesContent& content);
// Not more than kSentLabelsMax of them.
bool readLabels(Bytes series, std::vector<Label>& labels);
bool readLabel(Bytes message, Label& label);
// Of the message MetricMetadata.
bool readMetadata(Bytes message, MetricFamily& family);

bool readSample(Bytes message, SentSample& sample);
// The sample of a part that is nothing but one, as encoders write it; false for all else, damage
// included.
bool readSoleSample(Bytes part, SentSample& sample);
bool readHistogram(Bytes message, SentHistogram& histogram);

// Hands the messages of one field to `take`, in their order, until it says false. False then, and
// when the series is damaged. REQUIRES: readContent() took the series, or a part with these fields.
template <typename Take>
bool forEach(Bytes series, std::uint32_t number, Take take) {
  return readFields(series, [number, &take](const WireField& field) {
    return field.number != number || take(field.bytes);
  });
}

}  // namespace seriesdb
