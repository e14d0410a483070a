// The parts of Prometheus' remote_write 1.0 messages that are read (prompb/remote.proto,
// prompb/types.proto).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/protobuf/wire_reader.h"
#include "common/types/identity.h"
#include "ingest/metric_family.h"

namespace seriesdb {

// Fields of WriteRequest and TimeSeries.
inline constexpr std::uint32_t kSeriesField = 1;
inline constexpr std::uint32_t kMetadataField = 3;
inline constexpr std::uint32_t kLabelField = 1;
inline constexpr std::uint32_t kSampleField = 2;
inline constexpr std::uint32_t kExemplarField = 3;
inline constexpr std::uint32_t kHistogramField = 4;
// A field of version 2.0 that 1.0 lacks.
inline constexpr std::uint32_t kSecondSeriesField = 5;
// The tag of a series' label, as all encoders write it.
inline constexpr std::uint8_t kLabelTag = 1 << 3 | 2;

struct SentSample {
  double value = 0;
  std::int64_t ts = 0;
};

// A native histogram without its buckets.
struct SentHistogram {
  double count = 0;
  double sum = 0;
  std::int64_t ts = 0;
};

// kUntold for numbers of later versions.
FamilyKind kindOf(std::uint64_t number);

// The parts of a series, or of a piece of one.
struct SeriesContent {
  std::uint64_t labelCount = 0;
  std::uint64_t sampleCount = 0;
  std::uint64_t exemplarCount = 0;
  std::uint64_t histogramCount = 0;
};

// The size of the consecutive labels at the start of a series, in bytes.
std::size_t labelRunSize(Bytes series);

// All return false if the message is damaged. The results are views into it.
bool readContent(Bytes series, SeriesContent& content);
// Reads at most kSentLabelsMax labels.
bool readLabels(Bytes series, std::vector<Label>& labels);
bool readLabel(Bytes message, Label& label);
// Reads a MetricMetadata.
bool readMetadata(Bytes message, MetricFamily& family);

bool readSample(Bytes message, SentSample& sample);
// Reads a part that consists of one sample, in the usual encoding; false for all else, also for
// damage.
bool readSoleSample(Bytes part, SentSample& sample);
bool readHistogram(Bytes message, SentHistogram& histogram);

// Calls `take` with the messages of one field, in order, until it returns false. Returns false
// then, or if the series is damaged. REQUIRES: readContent() accepted the series, or a part with
// these fields.
template <typename Take>
bool forEach(Bytes series, std::uint32_t number, Take take) {
  return readFields(series, [number, &take](const WireField& field) {
    return field.number != number || take(field.bytes);
  });
}

}  // namespace seriesdb
