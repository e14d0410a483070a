// Random series, in segments, in memory and across both, and random queries of them at steps.
#pragma once

#include <bit>
#include <functional>
#include <map>
#include <cmath>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "query/promql/naive_steps.h"
#include "query/promql/step_query.h"
#include "query/promql/step_reader.h"
#include "storage/engine/engine_fixture.h"

namespace seriesdb::test {

inline constexpr std::size_t kSeriesCount = 40;
inline constexpr std::int64_t kEnd = 4'000'000;
inline constexpr auto kFunctions = static_cast<std::size_t>(StepFunction::kSmoothing) + 1;

inline bool isSame(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// Rows by the text of their labels.
using Row = std::vector<Naive>;
using Rows = std::map<std::string, Row>;

// Sums of many values may be added in another order, with different rounding: the last digit may
// differ.
inline bool isNear(double a, double b) {
  return isSame(a, b) || (std::isfinite(a) && std::fabs(a - b) <= 1e-15 * std::fabs(a));
}

using IsLike = bool (*)(double, double);
inline IsLike likeOf(StepFunction function) {
  return function == StepFunction::kSum || function == StepFunction::kAvg ? isNear : isSame;
}

inline bool areSame(const Row& a, const Row& b, IsLike isLike = isSame) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].has_value() != b[i].has_value()) return false;
    if (a[i] && !isLike(*a[i], *b[i])) return false;
  }
  return true;
}

inline bool areSame(const Rows& a, const Rows& b, IsLike isLike = isSame) {
  if (a.size() != b.size()) return false;
  for (const auto& [labels, row] : a) {
    const auto found = b.find(labels);
    if (found == b.end() || !areSame(row, found->second, isLike)) return false;
  }
  return true;
}

inline std::string labelsOf(const LabelTable& table, std::size_t row) {
  std::string text;
  for (const LabelColumn& column : table.columns) {
    const std::uint32_t code = column.codes[row];
    if (code > 0) text += column.key + "=" + std::string(column.texts[code - 1]) + ",";
  }
  return text;
}

inline Row rowOf(const StepTable& table, std::size_t row, std::size_t steps) {
  Row values;
  for (std::size_t i = row * steps; i < (row + 1) * steps; ++i) {
    const bool isThere = table.present.empty() || table.present[i] != 0;
    values.push_back(isThere ? Naive(table.values[i]) : Naive());
  }
  return values;
}

inline Rows rowsOf(const StepTable& table, std::size_t steps) {
  Rows rows;
  for (std::size_t row = 0; row < table.rowCount; ++row) {
    rows[labelsOf(*table.labels, row)] = rowOf(table, row, steps);
  }
  return rows;
}

// Runs the query on `threadCount` threads.
inline StepTable answerOf(Database& database, const StepPlan& plan, std::size_t threadCount) {
  QueryControl control;
  const PinnedIndex index = database.engine().index();
  StepQuery::Source source{std::nullopt, index, unitsPerSecond(database.options.unit), {}};
  if (plan.rows() == nullptr) {
    source.refs = index->select(std::get<SeriesFilter>(plan.of));
    index->sortById(source.refs, source.refs.size());
    source.view.emplace(database.engine().pinView(kAllTime).value());
  }
  StepQuery query(plan, control, std::move(source));
  std::vector<std::thread> threads;
  const auto post = [&threads](std::function<void()> task) {
    threads.emplace_back(std::move(task));
    return true;
  };
  StepTable table;
  CHECK(query.run({post, threadCount}, table).ok());
  for (std::thread& thread : threads) thread.join();
  return table;
}

class StepWorld {
 public:
  explicit StepWorld(std::uint64_t seed, TimestampUnit unit) : random_(seed), unit_(unit) {
    database_.options.unit = unit;
    CHECK(database_.open().ok());
    for (int batch = 0; batch < 4; ++batch) {
      CHECK(database_.ingest(lines(batch)).ok());
      if (batch < 3 && random_() % 4 != 0) CHECK(database_.flush().ok());
    }
  }

  Database& database() { return database_; }
  std::uint64_t random() { return random_(); }
  StepPlan randomPlan(StepFunction function);
  Rows expected(const StepPlan& plan) const;
  Sampled samplesOf(std::size_t series) const;
  static std::string labelsOf(std::size_t series) {
    return "__name__=m,host=h" + std::to_string(series % 3) + "," +
           (series % 4 == 0 ? "" : "n=" + std::to_string(series) + ",") + "z=" +
           std::to_string(series) + ",";
  }

 private:
  double value(std::size_t series) {
    const std::uint64_t dice = random_() % 60;
    if (dice == 0) return kAsStale;
    if (dice <= kAsNull.size() && series % 5 == 0) return kAsNull[dice - 1].written;
    double& counter = counters_[series];
    counter += static_cast<double>(random_() % 1000) * 0.37;
    if (dice > 55) counter = static_cast<double>(random_() % 3);
    return series % 7 == 3 ? std::floor(counter / 5000) - 3 : counter;
  }
  static double stored(double written) {
    if (written == kAsStale) return std::bit_cast<double>(kStaleBits);
    for (const AsNull& one : kAsNull) {
      if (written == one.written) return one.stored;
    }
    return written;
  }
  // Timestamps of the database, near milliseconds.
  Timestamp timeOf(std::int64_t ms) {
    const std::int64_t perSecond = unitsPerSecond(unit_);
    if (perSecond < 1000) return ms / 1000;
    const std::int64_t perMs = perSecond / 1000;
    return ms * perMs + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(perMs));
  }
  std::string lines(int batch);

  std::mt19937_64 random_;
  const TimestampUnit unit_;
  Database database_;
  double counters_[kSeriesCount] = {};
  std::map<Timestamp, double> stored_[kSeriesCount];
};

// Batches overlap in time, and have gaps.
inline std::string StepWorld::lines(int batch) {
  std::string text;
  for (std::size_t series = 0; series < kSeriesCount; ++series) {
    std::int64_t ms = batch * (kEnd / 5) + static_cast<std::int64_t>(random_() % 60'000);
    for (std::uint64_t i = random_() % 90; i > 0; --i) {
      ms += random_() % 20 == 0 ? 300'000 : 5'000 + static_cast<std::int64_t>(random_() % 9'000);
      const double written = value(series);
      const Timestamp ts = timeOf(ms);
      stored_[series][ts] = stored(written);
      char number[40];
      std::snprintf(number, sizeof number, "%.17g", written);
      text += "{\"metric\":\"m\",\"labels\":{\"host\":\"h" + std::to_string(series % 3) + "\"" +
              (series % 4 == 0 ? ",\"n\":\"\"" : ",\"n\":\"" + std::to_string(series) + "\"") +
              ",\"z\":\"" + std::to_string(series) + "\"},\"ts\":" + std::to_string(ts) +
              ",\"value\":" + number + "}\n";
    }
  }
  return text;
}

// The samples in milliseconds; the last sample of each millisecond wins.
inline Sampled StepWorld::samplesOf(std::size_t series) const {
  const std::int64_t perSecond = unitsPerSecond(unit_);
  std::map<std::int64_t, double> byMs;
  for (const auto& [ts, value] : stored_[series]) {
    byMs[perSecond < 1000 ? ts * 1000 : ts / (perSecond / 1000)] = value;
  }
  return {byMs.begin(), byMs.end()};
}

inline StepPlan StepWorld::randomPlan(StepFunction function) {
  StepPlan plan;
  plan.of = SeriesFilter{};
  plan.function = function;
  plan.grid.count = 1 + random_() % 50;
  plan.grid.step = 1 + static_cast<std::int64_t>(random_() % 200'000);
  plan.grid.start = static_cast<std::int64_t>(random_() % kEnd) - 100'000;
  plan.window = static_cast<std::int64_t>(random_() % (random_() % 3 == 0 ? kEnd : 200'000));
  plan.offset = static_cast<std::int64_t>(random_() % 300'000) - 150'000;
  for (std::size_t i = 0; i < argumentsOf(function); ++i) {
    const bool isEach = random_() % 2 == 0;
    const bool isQuantile = function == StepFunction::kQuantile;
    for (std::size_t step = isEach ? plan.grid.count : 1; step > 0; --step) {
      const double share = static_cast<double>(random_() % 1000) / 1000;
      plan.arguments.resize(i + 1);
      plan.arguments[i].push_back(isQuantile ? share * 1.4 - 0.2 : share);
    }
  }
  return plan;
}

inline Rows StepWorld::expected(const StepPlan& plan) const {
  Rows rows;
  for (std::size_t series = 0; series < kSeriesCount; ++series) {
    const Sampled samples = samplesOf(series);
    Row row;
    bool isAny = false;
    for (std::size_t step = 0; step < plan.grid.count; ++step) {
      row.push_back(naiveAt(samples, plan, step));
      isAny = isAny || row.back();
    }
    if (isAny) rows[labelsOf(series)] = row;
  }
  return rows;
}

}  // namespace seriesdb::test
