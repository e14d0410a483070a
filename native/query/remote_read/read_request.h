// A request of Prometheus' remote_read.
#pragma once

#include <cstdint>
#include <vector>

#include "common/types/sample.h"
#include "index/selection/series_filter.h"

namespace seriesdb {

struct RemoteReadQuery {
  SeriesFilter filter;
  TimeRange range;
};

struct RemoteReadRequest {
  static constexpr std::uint64_t kSamplesMax = 50'000'000;

  std::vector<RemoteReadQuery> queries;
  bool isStreamed = false;  // True for a response in chunks.
  // True if names may only have characters that Prometheus before 3.0 accepts.
  bool isEscaped = false;
  // Limits of all queries together. The last two limit a response that is held whole.
  std::uint64_t seriesMax = UINT64_MAX;
  std::uint64_t samplesMax = kSamplesMax;
  std::uint64_t bytesMax = std::uint64_t{256} << 20;  // Bytes of the message.
};

}  // namespace seriesdb
