// Splits samples by keys that are expressions: each sample belongs to the group of its key values.
// Not thread-safe: each part of a query has its own splitter.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "query/expression/expression_machine.h"
#include "query/fold/aggregate_plan.h"
#include "query/keys/key_tuples.h"
#include "query/samples/stretch_reader.h"

namespace seriesdb {

class KeySplitter {
 public:
  // The plan must outlive this.
  explicit KeySplitter(const AggregatePlan& plan);

  // `place` is the series' place in the plan. `group` is its group by the keys that are not
  // expressions.
  void beginSeries(std::uint32_t place, std::uint32_t group);
  // Calls visit(group, SampleBlock) for each group in the block, each in the order of time. If the
  // groups exceed the row limit, the rest of the block is skipped.
  template <typename Visit>
  void split(const SampleBlock& block, Visit visit) {
    for (std::size_t at = 0; at < block.size() && !isFull(); at += kLanes) {
      const std::size_t count = std::min(block.size() - at, kLanes);
      const SampleBlock lanes{block.ts.subspan(at, count), block.values.subspan(at, count),
                              block.reach, block.hasNulls};
      number(lanes);
      if (stretches_.size() == 1) {
        visit(stretches_[0].group, lanes);
        continue;
      }
      scatter(lanes);
      for (const Stretch& stretch : stretches_) {
        visit(stretch.group,
              SampleBlock{std::span<const Timestamp>(ts_).subspan(stretch.begin, stretch.count),
                          std::span<const double>(values_).subspan(stretch.begin, stretch.count),
                          block.reach, block.hasNulls});
      }
    }
  }
  bool isFull() const { return tuples_.size() > plan_.read.limits.rowsMax; }
  KeyTuples& tuples() { return tuples_; }
  const KeyTuples& tuples() const { return tuples_; }

 private:
  static constexpr std::size_t kLanes = ExpressionMachine::kLanes;
  // The samples of one group among the lanes.
  struct Stretch {
    std::uint32_t group;
    std::uint32_t begin;
    std::uint32_t count;
  };

  void number(const SampleBlock& lanes);
  void encode(std::size_t output, std::size_t count);
  void scatter(const SampleBlock& lanes);

  const AggregatePlan& plan_;
  ExpressionMachine machine_;
  KeyTuples tuples_;
  std::vector<std::uint64_t> words_;      // One tuple for each lane.
  std::vector<std::uint32_t> stretchOf_;  // Indexed by lane.
  // Indexed by group: its stretch plus one while lanes are read.
  std::vector<std::uint32_t> openStretch_;
  std::vector<Stretch> stretches_;
  std::vector<Timestamp> ts_;
  std::vector<double> values_;
};

}  // namespace seriesdb
