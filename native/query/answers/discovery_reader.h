// The answers of discovery: which series, metrics and label values there are. They come from the
// index alone; no samples are read.
//
// Opening is cheap: where few series match, they are selected, and the answer is made by the thread
// that asks; else nothing happens before the first next(), which runs on a query thread.
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
    kValueCounts,  // {"values":[…],"series_counts":[…]}: how many series have each.
    kAttributes,  // [{"class":…,"name":…,"type":…},…]: the columns of metrics as relations.
  };
  // Of kHealth: the metrics that are told.
  enum class Only : std::uint8_t {
    kAll,
    kInactive,      // Some series is.
    kUndocumented,  // A part of the descriptor is missing.
  };
  // Each but the first starts with the highest, kLastTs with the lowest; then as the first.
  enum class Order : std::uint8_t {
    kUsual,        // Series by id, all else by name or value.
    kSeriesCount,  // kHealth, kValueCounts.
    kInactiveCount,  // kHealth only, as the next.
    kLastTs,
  };
  Answer answer = Answer::kSeries;
  Only only = Only::kAll;
  Order order = Order::kUsual;
  SeriesFilter filter;
  std::string labelKey;     // kLabelValues: the values of this key
  std::string valuePrefix;  // that begin with this.
  std::uint64_t limit = UINT64_MAX;
  std::optional<Timestamp> inactiveBefore;  // kHealth only.
  // In the usual order: what comes behind this name or value, or series of this id.
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
  // Some that are described in a tenth of a millisecond, or nothing.
  std::optional<std::vector<SeriesRef>> selectFew() const;
  // Once.
  std::vector<SeriesRef> select();
  static QueryLimits limitsOf(const Engine& engine);
  // Counts what was found at once.
  Status hold();
  // Each appends some rows, or finds that there are no more and sets isDone_.
  void step(std::string& piece);
  void stepSeries(std::string& piece);
  void stepMetrics(std::string& piece);
  void stepValues(std::string& piece);
  void stepCounts(std::string& piece);
  void findSeries();
  bool listMetrics();
  void findMetrics();
  bool isWanted(const MetricFacts& facts) const;

  // As many rows as may still be written, and at most `most`.
  std::size_t rowsLeft(std::size_t most) const;
  void beginRow(std::string& piece);
  void appendSeries(std::string& piece, const SeriesBatch& batch);
  void appendMetric(std::string& piece, const MetricFacts& facts) const;
  void appendAttributes(std::string& piece, const MetricFacts& facts);

  const PinnedIndex index_;
  const Discovery discovery_;
  QueryMemory memory_;
  std::optional<std::vector<SeriesRef>> few_;
  const bool isShort_;
  bool isOpen_ = false;
  bool isSelected_ = false;
  bool isDone_ = false;
  bool isClosed_ = false;
  std::uint64_t rows_ = 0;
  // What was found at once, and how much of it is written.
  std::vector<SeriesRef> refs_;
  std::vector<MetricFacts> metrics_;
  std::vector<std::string_view> values_;
  std::size_t written_ = 0;
  // What is listed part by part: the last of the part before.
  std::optional<std::string_view> last_;
  SeriesBatch batch_;
};

}  // namespace seriesdb
