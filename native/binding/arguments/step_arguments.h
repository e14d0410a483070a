// NativeStepQuery, its figures, and NativeStepPrint of src/storage/native/steps-contract.ts, read.
#pragma once

#include <napi.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "binding/batches/lent_arrays.h"
#include "common/base/status.h"
#include "query/promql/step_plan.h"
#include "query/promql/text/step_print.h"
#include "query/promql/text/table_print.h"

namespace seriesdb {

// The numbers of questions, in the order of the contract: a copy, since reading what stands beside
// them may run JavaScript, which may take their memory away.
class StepFigures {
 public:
  // As many as the lists of the contract have.
  static constexpr std::size_t kOfLimits = 6;
  static constexpr std::size_t kOfQuery = 14;
  static constexpr std::size_t kOfPrint = 2;
  static constexpr std::size_t kOfAnswer = kOfLimits + kOfQuery + kOfPrint;

  explicit StepFigures(std::span<const double> figures)
      : figures_(figures.begin(), figures.end()) {}

  // kInvalidArgument, as what follows, where they are none that there can be, or too few.
  Result<StepLimits> limits();
  Status query(StepPlan& plan);
  Result<bool> flag(const char* name);
  // Whether all were read.
  bool atEnd() const { return at_ == figures_.size(); }

 private:
  double next() { return figures_[at_++]; }
  Status require(std::size_t count) const;
  Status time(const char* name, std::int64_t& ms);
  Status count(const char* name, std::uint64_t& count);
  template <typename E>
  Result<std::optional<E>> name(const char* name);
  Status grid(StepGrid& grid);
  Status rows(StepPlan& plan);
  Status fold(StepPlan& plan);
  Status kept(StepPlan& plan);

  std::vector<double> figures_;
  std::size_t at_ = 0;
};

// Of a Float64Array.
Result<StepFigures> readStepFigures(const Napi::Value& value);
// Of what a room of JavaScript begins with. REQUIRES: so many.
StepFigures figuresAt(std::span<const std::uint8_t> room);
// Keeps, as the last one does, what is not copied.
Result<StepPlan> readStepQuery(const Napi::Object& query, const StepLimits& limits,
                               StepFigures& figures, LentArrays& lent);
// How the answer is printed, which its last numbers tell.
Result<TablePrintForm> readStepForm(const StepGrid& grid, StepFigures& figures);
Result<StepPrint> readStepPrint(const Napi::Value& value, LentArrays& lent);

}  // namespace seriesdb
