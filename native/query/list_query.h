// Lists series, metrics, label keys or label values as rows of text. The index alone answers; no
// samples are read.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "index/series_index.h"
#include "query/print/row_text.h"
#include "query/print/series_text.h"
#include "query/samples/query_stats.h"

namespace seriesdb {

struct ListPlan {
  enum class Of : std::uint8_t {
    kSeries,  // Ordered by id. The other lists have one column and ascend by its bytes.
    kMetrics,
    kLabelKeys,
    kLabelValues,  // The values of `labelKey`.
  };
  Of of = Of::kSeries;
  SeriesFilter filter;
  std::string labelKey;
};

// Only cancel() is thread-safe.
class ListQuery {
 public:
  // The index must outlive it. The text's offset and limit cut the rows.
  ListQuery(const SeriesIndex& index, ListPlan plan, TextPlan text);

  // Replaces `piece` by the next 256 KiB or so; the piece has no rows after the last row. The first
  // call selects the series. kClosed.
  Status next(RowTexts& piece);
  // Any thread.
  void cancel() { isCancelled_.store(true, std::memory_order_relaxed); }
  std::size_t memoryBytes() const {
    return refs_.capacity() * sizeof(refs_[0]) + texts_.capacity() * sizeof(texts_[0]);
  }
  // The count of selected series; valid after the first piece.
  const QueryStats& stats() const { return stats_; }

 private:
  Status select();
  Status selectMetrics();
  void addMetrics(const std::vector<MetricFacts>& all);
  void selectValues();
  void countSeries(const std::vector<SeriesRef>& refs);
  bool isCut() const { return rows_ >= text_.limit; }
  // Both add the rows of one step.
  void addSeries(std::string& out, std::uint64_t& rowCount);
  void addTexts(std::string& out, std::uint64_t& rowCount);

  const SeriesIndex& index_;
  const ListPlan plan_;
  const TextPlan text_;
  SeriesText printer_;
  std::atomic<bool> isCancelled_{false};
  QueryStats stats_;
  bool isSelected_ = false;
  bool isDone_ = false;
  std::uint64_t rows_ = 0;  // Written so far.
  std::size_t at_ = 0;      // A place in refs_ or texts_.
  std::vector<SeriesRef> refs_;
  std::vector<std::string_view> texts_;
  SeriesBatch batch_;  // Scratch.
};

}  // namespace seriesdb
