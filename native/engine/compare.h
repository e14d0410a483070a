// The same aggregate of one series over two time windows, as the JSON text of the answer.
#pragma once

#include <string>

#include "base/status.h"
#include "engine/engine_state.h"
#include "engine/json_reader.h"
#include "engine/selector.h"
#include "engine/window_aggregate.h"

namespace seriesdb {

struct Comparison {
  Selector selector;
  TimeRange current;
  TimeRange baseline;
  Aggregate aggregate = Aggregate::kLast;
};

// Both windows are read from one view, and may overlap. REQUIRES: start <= end in both.
// kSeriesNotFound, kAmbiguousSelector; kStorageCorrupt when a window meets a damaged segment.
Result<std::string> compareWindows(const EngineState& state, const Comparison& comparison);

// The same as a reader; the first next() does all the work.
class CompareReader final : public JsonReader {
 public:
  // `state` must outlive it.
  CompareReader(const EngineState& state, Comparison comparison)
      : state_(state), comparison_(std::move(comparison)) {}

  Status next(std::string& piece) override;
  bool isShort() const override { return false; }
  Stage stage() const override { return Stage::kCompare; }

 private:
  const EngineState& state_;
  const Comparison comparison_;
  bool isDone_ = false;
};

}  // namespace seriesdb
