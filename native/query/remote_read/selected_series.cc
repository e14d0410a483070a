#include "query/remote_read/selected_series.h"

namespace seriesdb {

Status readCancelled() { return {StatusCode::kClosed, "the read was cancelled"}; }

Status answerTooLarge(const std::string& what, const std::string& hint) {
  return {StatusCode::kQueryLimit,
          "the answer takes more than " + what + "; request less at a time" + hint};
}

Status SelectedSeries::select(const SeriesIndex& index, const SeriesFilter& filter,
                              std::vector<SeriesRef>& refs) {
  refs = index.select(filter);
  count_ += refs.size();
  if (count_ <= request_.seriesMax) return Status::okStatus();
  return answerTooLarge(std::to_string(request_.seriesMax) + " series",
                        ", or raise max_query_series");
}

}  // namespace seriesdb
