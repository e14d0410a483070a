// Reads one series' filtered samples after another, and shows stretches that need no read. Not
// thread-safe: each thread of a query has its own reader.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "query/expression/expression_machine.h"
#include "query/expression/value_filter.h"
#include "query/samples/query_control.h"
#include "query/samples/query_stats.h"
#include "query/samples/read_plan.h"
#include "query/samples/stretch_reader.h"

namespace seriesdb {

class SeriesReader {
 public:
  SeriesReader(PinnedView view, const ReadPlan& plan, QueryControl& control);

  // Returns the stretches of series number `place` of the plan; valid until the next call. The
  // range must lie in one of the plan's ranges; a slice must live as long as the reader. `isKnown`:
  // the series was opened before, with others since, so it is not counted again.
  const std::vector<Stretch>& open(std::size_t place, TimeRange range, bool isKnown = false);
  const std::vector<Stretch>& open(std::size_t place, const TimeSlice& slice, bool isKnown = false);
  // Sets a test. If it is true for a stretch, the stretch is answered without its samples.
  void answerAlone(std::function<bool(const Stretch&)> isAnswered) {
    isAnswered_ = std::move(isAnswered);
  }
  // Prefetches the data that the next open() of this series reads, in the segments of the last
  // open().
  void prepare(std::size_t place) const { chunks_.expect(plan_.refs[place]); }
  // The verdict of filter and condition on the whole stretch.
  ValueFilter::Verdict judge(const Stretch& stretch) const;
  // Calls visit(SampleBlock) with the stretch's samples that pass the filter, in blocks that are
  // not empty. REQUIRES: a stretch of the last open().
  template <typename Visit>
  Status read(const Stretch& stretch, ValueFilter::Verdict verdict, Visit visit) {
    begin(stretch);
    while (true) {
      const auto block = next(verdict);
      if (!block.ok()) return block.status();
      if (isAtEnd_) return Status::okStatus();
      if (!block.value().empty()) visit(block.value());
    }
  }
  // For stretches answered without reading; many of them pass in a microsecond.
  Status skip() { return spend(kWorkOfStretch); }

  // Reads the directories of the segments that the plan reaches. Call it on the reading thread.
  QueryStats stats() const;
  // The same reads, without reading directories.
  const QueryStats& reads() const { return stats_; }

 private:
  // The least cost of a stretch, in samples. After kWorkOfLook samples, some tens of microseconds,
  // the control is checked.
  static constexpr std::uint64_t kWorkOfStretch = 64;
  static constexpr std::uint64_t kWorkOfLook = 2048;

  Status spend(std::uint64_t work) {
    work_ += work;
    if (work_ < kWorkOfLook) return Status::okStatus();
    work_ = 0;
    return control_.look(plan_.limits);
  }
  const TimeSlice& sliceIn(TimeRange range);
  bool needsStrip() const;
  void begin(const Stretch& stretch);
  void fetchAhead();
  Result<SampleBlock> next(ValueFilter::Verdict verdict);
  SampleBlock filtered(const SampleBlock& block);
  SampleBlock conditioned(const SampleBlock& block);

  PinnedView view_;
  SeriesSources sources_;
  StretchReader reader_{sources_};
  std::function<bool(const Stretch&)> isAnswered_;
  const ReadPlan& plan_;
  QueryControl& control_;
  std::size_t place_ = SIZE_MAX;  // The place of the open series.
  std::vector<Stretch> stretches_;
  std::vector<std::size_t> readStretches_;  // The places of the stretches that were read.
  bool isAtEnd_ = false;
  std::optional<ExpressionMachine> condition_;
  std::vector<std::uint8_t> keep_;
  std::vector<Timestamp> ts_;
  std::vector<double> values_;
  QueryStats stats_;
  std::vector<SeriesRef> scanned_;    // Each series once, if callers pass isKnown correctly.
  std::uint64_t work_ = kWorkOfLook;  // Work since the last check; the first check happens at once.
  // For each range of the plan: the slice of the last range opened within it.
  std::vector<TimeSlice> slices_;
  SeriesChunks chunks_;
};

}  // namespace seriesdb
