// Selects the series of a request's queries within the request's limit. Also the statuses that end
// a read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/status.h"
#include "index/series_index.h"
#include "query/remote_read/read_request.h"

namespace seriesdb {

// Samples between two checks for cancellation: some tens of microseconds.
inline constexpr std::size_t kRemoteBlockSamples = 8192;

Status readCancelled();
Status answerTooLarge(const std::string& what, const std::string& hint);

class SelectedSeries {
 public:
  // `request` must outlive it.
  explicit SelectedSeries(const RemoteReadRequest& request) : request_(request) {}

  // Replaces `refs` by the series of a query, unordered. kQueryLimit.
  Status select(const SeriesIndex& index, const SeriesFilter& filter, std::vector<SeriesRef>& refs);

 private:
  const RemoteReadRequest& request_;
  std::uint64_t count_ = 0;
};

}  // namespace seriesdb
