// What queries of Prometheus' remote_read ask for.
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
  bool isStreamed = false;  // As chunks.
  bool isEscaped = false;   // Names have only characters that Prometheus before 3.0 takes.
  // Of all queries together; the last two of an answer that is held whole.
  std::uint64_t seriesMax = UINT64_MAX;
  std::uint64_t samplesMax = kSamplesMax;
  std::uint64_t bytesMax = std::uint64_t{256} << 20;  // Of the message.
};

}  // namespace seriesdb
