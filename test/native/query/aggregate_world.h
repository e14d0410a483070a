// Random series, on disk or in memory, and random grouped queries, compared with plain folds over
// maps.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "query/aggregate_model.h"
#include "query/aggregate_query.h"
#include "storage/engine/engine_fixture.h"

namespace seriesdb::test {

// One of that many samples has the property; 0: none has.
struct OddShares {
  std::uint64_t stale = 0;
  std::uint64_t null = 0;
};

// Series that differ in two labels; some lack the second.
class AggregateWorld {
 public:
  explicit AggregateWorld(std::uint64_t seed, OddShares shares = {});

  std::uint64_t random() { return random_(); }
  AggregatePlan randomPlan();
  // check() expects the answer of plain folds. checkNewest() limits the number of buckets from one
  // end, and expects those of the same query without the limit.
  void check(const AggregatePlan& plan, std::size_t threads);
  void checkNewest();

 private:
  static constexpr std::size_t kSeriesCount = 7;
  struct Place {
    SeriesId id;
    SeriesRef ref;
    std::size_t series;
    auto operator<=>(const Place&) const = default;
  };
  using Texts = std::vector<std::string>;  // The keys of a group, in the order of the plan.
  using Groups = std::map<Texts, std::vector<ModelRow>>;

  static std::string labels(std::size_t s);
  static std::string identity(std::size_t s) { return "m|" + labels(s); }
  Timestamp timestamp();
  std::string batch();
  double addPoint(std::size_t s, Timestamp ts);
  void remove(std::size_t s);
  std::vector<double> sums(const AggregatePlan& plan);
  Texts keysOf(const AggregatePlan& plan, const ModelRow& row) const;
  bool passes(const AggregatePlan& plan, const ModelRow& row) const;
  Groups groupsOf(const AggregatePlan& plan) const;

  std::mt19937_64 random_;
  const OddShares shares_;
  Database database_;
  Points points_[kSeriesCount];
  std::vector<Place> order_;
  // The bounds of the last random plan's filter, if it has one.
  double limitLow_ = 0;
  double limitHigh_ = 0;
};

}  // namespace seriesdb::test
