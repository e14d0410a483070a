// Folds the samples of one series after another into the cells of their buckets.
//
// A run grows over the blocks of a series within one bucket. It moves into its cell when the bucket
// or the series ends. Not thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "query/fold/aggregate_plan.h"
#include "query/fold/fold_kernels.h"
#include "query/fold/group_table.h"
#include "query/samples/stretch_reader.h"

namespace seriesdb {

class SeriesFold {
 public:
  SeriesFold(const AggregatePlan& plan, const Needs& needs, GroupTable& table)
      : plan_(plan),
        needs_(needs),
        needsRuns_(!plan.bucket || plan.bucket->months > 0 || needs.extremes || needs.perSeries ||
                   needs.values),
        table_(table) {}

  const Needs& needs() const { return needs_; }
  void beginSeries(std::uint32_t group, SeriesId series, bool isCounter);
  // Switches to another group of the same series. REQUIRES: a plan without a bucket.
  void enterGroup(std::uint32_t group);
  // The samples must be later than those before.
  void add(const SampleBlock& block);
  // Adds a whole chunk. REQUIRES: takesSummary(summary).
  void add(const ChunkSummary& summary);
  // Adds a strip by its count and ends. REQUIRES: takesExtent(extent).
  void add(const Memtable::Extent& extent);
  bool takesSummary(const ChunkSummary& summary) const;
  bool takesExtent(const Memtable::Extent& extent) const;
  void endSeries();

 private:
  void enterBucketOf(Timestamp ts);
  bool enterNextBucket(Timestamp ts);
  void leaveBucket();
  std::size_t countInBucket(const SampleBlock& block, std::size_t at) const;
  void addBucket(const SampleBlock& block);
  void addRun(const SampleBlock& block);
  void addRunWithNulls(const SampleBlock& block);
  void addBounds(const SampleBlock& block);
  void addExtremes(const SampleBlock& block, const ValueBounds& bounds);
  void addAcross(const SampleBlock& block);
  void addEnds(Timestamp firstTs, double first, Timestamp lastTs, double last);
  void flush();
  void flushHeld();
  void store(SampleRun& run, std::int64_t bucket);
  bool isOneBucket(TimeRange range) const;
  bool needsIncrease() const { return needs_.increase && isCounter_; }

  const AggregatePlan& plan_;
  const Needs needs_;
  const bool needsRuns_;  // True if buckets within one block need runs, too.
  GroupTable& table_;
  std::uint32_t group_ = 0;
  SeriesId series_ = 0;
  bool isCounter_ = false;
  std::int64_t bucket_ = 0;
  // The first and the last timestamp of the bucket.
  Timestamp bucketBegin_ = 0;
  Timestamp bucketEnd_ = -1;
  std::size_t countOfLast_ = 0;
  MomentsAdder momentsAdder_;
  SampleRun run_;
  // The series' samples in calendar buckets without a start, which are one bucket.
  SampleRun startless_;
  // Runs of groups left for now, kept because values between neighbouring samples count.
  struct HeldRun {
    std::uint32_t group;
    SampleRun run;
  };
  std::vector<HeldRun> held_;
  std::vector<std::uint32_t> heldOf_;  // Indexed by group: the place in `held_` plus one.
  // The samples of a run without nulls.
  std::vector<Timestamp> ts_;
  std::vector<double> values_;
};

}  // namespace seriesdb
