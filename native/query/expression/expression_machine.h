// Runs an expression over blocks of samples of one series after another.
//
// Registers are vectors of lanes. A register is reused after its last read. Not thread-safe: each
// thread has its own machine.
#pragma once

#include <span>
#include <vector>

#include "common/types/sample.h"
#include "query/expression/expression.h"
#include "query/expression/expression_kernels.h"

namespace seriesdb {

class ExpressionMachine {
 public:
  // The most samples of one run().
  static constexpr std::size_t kLanes = 512;

  // The expression must outlive the machine.
  explicit ExpressionMachine(const Expression& expression);
  ExpressionMachine(const ExpressionMachine&) = delete;
  ExpressionMachine& operator=(const ExpressionMachine&) = delete;

  // Loads the columns' values of the series. REQUIRES: the columns have this place.
  void beginSeries(std::uint32_t place);
  // REQUIRES: equal lengths, at most kLanes; beginSeries() before, if there are columns.
  void run(std::span<const Timestamp> ts, std::span<const double> values);

  // One value per sample, valid until the next run(). REQUIRES: the accessor of outputType(output).
  const std::uint8_t* booleans(std::size_t output) const { return outputOf(output).booleans; }
  const double* floats(std::size_t output) const { return outputOf(output).floats; }
  const std::int64_t* integers(std::size_t output) const { return outputOf(output).integers; }
  const std::uint8_t* nulls(std::size_t output) const { return outputOf(output).nulls; }

 private:
  struct Register {
    std::int64_t* integers = nullptr;
    std::uint8_t* nulls = nullptr;  // Only for integers.
    double* floats = nullptr;
    std::uint8_t* booleans = nullptr;
    IntegerLanes lanes() const { return {integers, nulls}; }
  };

  const Register& outputOf(std::size_t output) const {
    return registers_[expression_.text_.outputs[output]];
  }
  std::vector<std::uint32_t> lastUses() const;
  void assignSlots();
  void fillConstants();
  void runStep(std::size_t at, std::size_t n);
  void runNumeric(const ExpressionStep& step, std::size_t n, const Register& out);
  void runInteger(const ExpressionStep& step, std::size_t n, const Register& out);
  void convert(const ExpressionStep& step, std::size_t n, const Register& out);
  void compare(const ExpressionStep& step, std::size_t n, const Register& out);
  void testNull(const ExpressionStep& step, std::size_t n, const Register& out);
  void select(const ExpressionStep& step, std::size_t n, const Register& out);

  const Expression& expression_;
  std::vector<Register> registers_;
  std::vector<std::size_t> timeSteps_;
  std::vector<std::size_t> valueSteps_;
  std::vector<std::size_t> columnSteps_;
  std::vector<std::size_t> computed_;  // Steps that run for each block.
  std::vector<std::uint8_t> noNulls_;
  // The memory of the registers.
  std::vector<std::int64_t> integers_;
  std::vector<double> floats_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace seriesdb
