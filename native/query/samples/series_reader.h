// Reads the samples of one series after another that pass a filter, and shows what need not be
// read. Not thread-safe: each thread of a query has its own.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "query/expression/expression_machine.h"
#include "query/samples/query_control.h"
#include "query/samples/query_stats.h"
#include "query/samples/stretch_reader.h"

namespace seriesdb {

class SeriesReader {
 public:
  SeriesReader(PinnedView view, const ReadPlan& plan, QueryControl& control);

  // The stretches of the plan's series number `place` in a range, which lies in one of the plan's, or
  // in a slice that lives as long as the reader; valid until the next call. A series that is opened
  // again after others were is said to be known.
  const std::vector<Stretch>& open(std::size_t place, TimeRange range, bool isKnown = false);
  const std::vector<Stretch>& open(std::size_t place, const TimeSlice& slice, bool isKnown = false);
  // Stretches of which this is true are answered without their samples.
  void answerAlone(std::function<bool(const Stretch&)> isAnswered) {
    isAnswered_ = std::move(isAnswered);
  }
  // Has what the next open() of this series looks at fetched into the cache, where it asks the
  // segments of the last one.
  void prepare(std::size_t place) const { chunks_.expect(plan_.refs[place]); }
  // What filter and condition say of the whole stretch.
  ValueFilter::Verdict judge(const Stretch& stretch) const;
  // Calls visit(SampleBlock) for what passes the filter of the stretch, in blocks with samples.
  // REQUIRES: one of the stretches that open() gave last.
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
  // For stretches that are answered without reading, of which many are passed in a microsecond.
  Status skip() { return spend(kWorkOfStretch); }

  // Looks into the directories of the segments that the plan reaches: for the thread that reads.
  QueryStats stats() const;
  // Of them what was read, without a look at the directories.
  const QueryStats& reads() const { return stats_; }

 private:
  // A stretch costs as much as so many samples, at least. Of such costs a look is due in so many,
  // which are some tens of microseconds.
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
  std::size_t place_ = SIZE_MAX;  // Of the series that is open.
  std::vector<Stretch> stretches_;
  std::vector<std::size_t> readStretches_;  // The places of those that were read.
  bool isAtEnd_ = false;
  std::optional<ExpressionMachine> condition_;
  std::vector<std::uint8_t> keep_;
  std::vector<Timestamp> ts_;
  std::vector<double> values_;
  QueryStats stats_;
  std::vector<SeriesRef> scanned_;    // Each once where it is said which are known.
  std::uint64_t work_ = kWorkOfLook;  // Since the last look; the first is at once.
  std::vector<TimeSlice> slices_;     // For each range of the plan, of the last that was in it.
  SeriesChunks chunks_;
};

}  // namespace seriesdb
