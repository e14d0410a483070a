// The message prometheus.ReadResponse, written front to back. It has a result for each query, with
// its series, each with labels and samples.
//
// The length in front of a nested message is known only at its end. So the writer reserves the
// longest varint and fills it in later; a varint may be padded.
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
  // `unit` is the unit of the samples' times.
  explicit ReadResponse(TimestampUnit unit) : perSecond_(unitsPerSecond(unit)) {}

  void beginResult() { result_ = beginMessage(kResult); }
  void endResult() { endMessage(result_); }
  // REQUIRES: an open result. The labels are written as they are.
  void beginSeries(std::span<const Label> labels);
  void endSeries() { endMessage(series_); }
  // REQUIRES: an open series, equal lengths, ascending times. Values keep all bits. If samples
  // share a millisecond, the last one stays.
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
  std::size_t result_ = 0;  // The begin of the open result's content, then of the open series'.
  std::size_t series_ = 0;
  // The offset of the value of the series' last sample; 0 if there is none.
  std::size_t lastValue_ = 0;
  std::int64_t lastMs_ = 0;
};

}  // namespace seriesdb
