// The message prometheus.ReadResponse, written front to back: a result for each query, in it its
// series, in each its labels and its samples.
//
// A message within a message has its length in front, which is known at its end: it has room for
// any, as a varint may be longer than it must, and is written over.
#pragma once

#include <cstdint>
#include <span>

#include "common/base/bytes.h"
#include "common/types/identity.h"
#include "common/types/sample.h"
#include "common/types/timestamp_unit.h"

namespace seriesdb {

// Not thread-safe.
class ReadResponse {
 public:
  // The unit of the times that it is given.
  explicit ReadResponse(TimestampUnit unit) : perSecond_(unitsPerSecond(unit)) {}

  void beginResult() { result_ = beginMessage(kResult); }
  void endResult() { endMessage(result_); }
  // In a result; labels as they are to be written.
  void beginSeries(std::span<const Label> labels);
  void endSeries() { endMessage(series_); }
  // In a series, ascending. Values stay bit for bit; of those in one millisecond the last stays.
  // REQUIRES: equal lengths.
  void addSamples(std::span<const Timestamp> ts, std::span<const double> values);

  const ByteBuffer& bytes() const { return bytes_; }

 private:
  // Tags of fields: number << 3 | wire type.
  static constexpr std::uint8_t kResult = 1 << 3 | 2;      // Of ReadResponse.
  static constexpr std::uint8_t kTimeSeries = 1 << 3 | 2;  // Of QueryResult.
  static constexpr std::uint8_t kLabel = 1 << 3 | 2;       // Of TimeSeries.
  static constexpr std::uint8_t kSample = 2 << 3 | 2;      // Of TimeSeries.
  static constexpr std::uint8_t kName = 1 << 3 | 2;        // Of Label.
  static constexpr std::uint8_t kText = 2 << 3 | 2;        // Of Label.
  static constexpr std::uint8_t kValue = 1 << 3 | 1;       // Of Sample.
  static constexpr std::uint8_t kTime = 2 << 3 | 0;        // Of Sample.

  std::size_t beginMessage(std::uint8_t tag);
  void endMessage(std::size_t begin);
  void addText(std::uint8_t tag, std::string_view text);
  std::size_t writeSample(std::size_t at, std::int64_t ms, double value);

  const std::int64_t perSecond_;
  ByteBuffer bytes_;
  std::size_t result_ = 0;  // Where the contents of what is open begin.
  std::size_t series_ = 0;
  std::size_t lastValue_ = 0;  // Where that of the series' last sample stands; 0: there is none.
  std::int64_t lastMs_ = 0;
};

}  // namespace seriesdb
