// Walks the series of several segments, ascending.
#pragma once

#include <optional>
#include <span>
#include <memory>
#include <vector>

#include "common/base/status.h"
#include "format/segment/segment.h"

namespace seriesdb {

class SeriesWalk {
 public:
  // The segments must outlive it.
  explicit SeriesWalk(std::span<const std::shared_ptr<const Segment>> segments);
  // The next series of any segment; null at the end. Fails if a directory cannot be read.
  Result<std::optional<SeriesRef>> next();

 private:
  struct Place {
    const Segment* segment;
    std::size_t nextPage = 0;
    std::vector<ChunkEntry> page{};
    std::size_t at = 0;
  };
  static Status skipTo(Place& place, std::uint64_t first);

  std::vector<Place> places_;
  std::uint64_t first_ = 0;  // Series below this ref are done.
};

}  // namespace seriesdb
