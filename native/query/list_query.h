// What there is, as rows of text: series, metrics, label keys, label values. It comes from the
// index alone; no samples are read.
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
    kSeries,  // By id. The others have one column, and ascend by its bytes.
    kMetrics,
    kLabelKeys,
    kLabelValues,  // Of `labelKey`.
  };
  Of of = Of::kSeries;
  SeriesFilter filter;
  std::string labelKey;
};

// Not thread-safe but for cancel().
class ListQuery {
 public:
  // The index must outlive it. The text's offset and limit cut the rows.
  ListQuery(const SeriesIndex& index, ListPlan plan, TextPlan text);

  // Replaces `piece` by the next 256 KiB or so; without rows when there are none. The first call
  // selects the series. kClosed.
  Status next(RowTexts& piece);
  // Any thread.
  void cancel() { isCancelled_.store(true, std::memory_order_relaxed); }
  std::size_t memoryBytes() const {
    return refs_.capacity() * sizeof(refs_[0]) + texts_.capacity() * sizeof(texts_[0]);
  }
  // The series that were selected, after the first piece.
  const QueryStats& stats() const { return stats_; }

 private:
  Status select();
  Status selectMetrics();
  void addMetrics(const std::vector<MetricFacts>& all);
  void selectValues();
  void countSeries(const std::vector<SeriesRef>& refs);
  bool isCut() const { return rows_ >= text_.limit; }
  // Some rows at a time.
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
  std::size_t at_ = 0;      // In refs_ or texts_.
  std::vector<SeriesRef> refs_;
  std::vector<std::string_view> texts_;
  SeriesBatch batch_;  // Scratch.
};

}  // namespace seriesdb
