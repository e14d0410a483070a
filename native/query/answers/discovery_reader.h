// The answers of discovery: lists of series, metrics and label values. The index alone answers; no
// samples are read.
//
// Opening is cheap. If few series match, opening selects them and the calling thread may make the
// answer. Otherwise nothing happens before the first next(), which runs on a query thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "query/answers/json_reader.h"
#include "query/samples/query_memory.h"
#include "storage/engine/engine.h"

namespace seriesdb {

struct Discovery {
  enum class Answer : std::uint8_t {
    kSeriesIds,  // [id,…], ascending.
    kSeries,  // [{"series_id":…,"metric":…,"labels":…,"first_ts":…,"last_ts":…},…], by id.
    kMetrics,      // Descriptors, by name.
    kHealth,       // Health summaries, by name.
    kLabelValues,  // {"values":[…]}
    kValueCounts,  // {"values":[…],"series_counts":[…]}: the count of series of each value.
    kAttributes,  // [{"class":…,"name":…,"type":…},…]: each metric's columns as a relation.
  };
  // For kHealth: a filter of the metrics.
  enum class Only : std::uint8_t {
    kAll,
    kInactive,      // At least one series is inactive.
    kUndocumented,  // A part of the descriptor is missing.
  };
  // kLastTs ascends; the two counts descend. Ties follow kUsual.
  enum class Order : std::uint8_t {
    kUsual,          // Series by id, other rows by name or value.
    kSeriesCount,    // kHealth, kValueCounts.
    kInactiveCount,  // kHealth only, as kLastTs.
    kLastTs,
  };
  Answer answer = Answer::kSeries;
  Only only = Only::kAll;
  Order order = Order::kUsual;
  SeriesFilter filter;
  std::string labelKey;     // The key of kLabelValues and kValueCounts.
  std::string valuePrefix;  // Only values with this prefix.
  std::uint64_t limit = UINT64_MAX;
  std::optional<Timestamp> inactiveBefore;  // kHealth only.
  // For kUsual: list only rows behind this name or value, or behind the series with this id.
  std::optional<std::string> after;
  std::optional<SeriesId> afterId;
};

class DiscoveryReader final : public JsonReader {
 public:
  // `engine` must outlive it.
  DiscoveryReader(const Engine& engine, Discovery discovery)
      : index_(engine.index()),
        discovery_(std::move(discovery)),
        memory_(limitsOf(engine)),
        few_(selectFew()),
        isShort_(few_ || discovery_.limit == 0),
        last_(discovery_.after) {}

  // kQueryLimit, kClosed.
  Status next(std::string& piece) override;
  Stage stage() const override { return Stage::kDiscovery; }
  bool isShort() const override { return isShort_; }
  bool isReady() const override { return isClosed_; }

 private:
  // A label's value and the count of its series.
  struct TextCount {
    std::string_view text;
    std::uint64_t count = 0;
  };

  static bool isFull(const std::string& piece) { return piece.size() >= kPieceSize; }
  // Few enough series to describe in a tenth of a millisecond; null if there may be more.
  std::optional<std::vector<SeriesRef>> selectFew() const;
  // Call it once.
  std::vector<SeriesRef> select();
  static QueryLimits limitsOf(const Engine& engine);
  // Counts the memory of rows that were found at once.
  Status hold();
  // Each step appends some rows, and none to a full piece. If none are left, it sets isDone_.
  void step(std::string& piece);
  void stepSeries(std::string& piece);
  void stepMetrics(std::string& piece);
  void stepValues(std::string& piece);
  void stepCounts(std::string& piece);
  void findSeries();
  bool listMetrics();
  void findMetrics();
  void findValues();
  void findCounts();
  bool isWanted(const MetricFacts& facts) const;

  // The count of rows that may still be written, at most `most`.
  std::size_t rowsLeft(std::size_t most) const;
  void beginRow(std::string& piece);
  std::size_t appendSeries(std::string& piece, const SeriesBatch& batch);
  void appendMetric(std::string& piece, const MetricFacts& facts) const;
  void appendAttributes(std::string& piece, const MetricFacts& facts);

  const PinnedIndex index_;
  const Discovery discovery_;
  QueryMemory memory_;
  std::optional<std::vector<SeriesRef>> few_;
  const bool isShort_;
  bool isOpen_ = false;
  bool isSelected_ = false;  // True once no further rows are to be found.
  bool isDone_ = false;
  bool isClosed_ = false;
  std::uint64_t rows_ = 0;
  // Rows that were found or listed, and the count of written ones.
  std::vector<SeriesRef> refs_;
  std::vector<MetricFacts> metrics_;
  std::vector<std::string_view> values_;
  std::vector<TextCount> counts_;
  std::size_t written_ = 0;
  // For rows that are listed part by part: the last row of the part before.
  std::optional<std::string_view> last_;
  SeriesBatch batch_;
};

}  // namespace seriesdb
