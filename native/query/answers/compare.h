// The same aggregate of one series over two time windows, as the JSON text of the answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/status.h"
#include "query/answers/json_reader.h"
#include "storage/engine/engine.h"
#include "storage/view/selector.h"

namespace seriesdb {

enum class Aggregate : std::uint8_t { kLast, kAvg, kSum, kMin, kMax, kCount, kDelta };

// The names "last", "avg", … in the order of the enumeration.
std::string_view aggregateName(Aggregate aggregate);
std::optional<Aggregate> aggregateFromName(std::string_view name);

struct Comparison {
  Selector selector;
  TimeRange current;
  TimeRange baseline;
  Aggregate aggregate = Aggregate::kLast;
};

// Reads both windows from one view; they may overlap. The values equal those in a query without
// groups. A window has no value if it has no samples or the value is not a finite number. The delta
// of a counter is the sum of its increases; a drop counts as a reset to zero. REQUIRES: start <=
// end in both. kSeriesNotFound, kAmbiguousSelector; kStorageCorrupt if a window meets a damaged
// segment.
Result<std::string> compareWindows(const Engine& engine, const Comparison& comparison);

// Reads the comparison as JSON. The first next() does all the work.
class CompareReader final : public JsonReader {
 public:
  // `engine` must outlive it.
  CompareReader(const Engine& engine, Comparison comparison)
      : engine_(engine), comparison_(std::move(comparison)) {}

  Status next(std::string& piece) override;
  bool isShort() const override { return false; }
  Stage stage() const override { return Stage::kCompare; }

 private:
  const Engine& engine_;
  const Comparison comparison_;
  bool isDone_ = false;
};

}  // namespace seriesdb
