// Expressions over samples as programs. Each step computes one register from earlier ones.
//
// A register is an int64, a float or a boolean; each may be null. Every step has the meaning of the
// interpreter, src/query/seriesql/plan/evaluate.ts. A program is untrusted input: make() checks it
// once. ExpressionMachine runs it. Immutable and safe for any number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/base/status.h"
#include "query/expression/calendar.h"

namespace seriesdb {

// The names and their order match `ops` in src/storage/native/names.ts; binding/names.h exports
// them.
enum class ExpressionOp : std::uint8_t {
  // Sources. `a` is a place in the constants or the columns; a boolean constant is `a` itself.
  kTime,
  kValue,
  kInteger,
  kFloat,
  kBoolean,
  kNull,    // A null integer.
  kColumn,  // The column's value for the series.
  // Operands of one type: register a, or registers a and b.
  kNegate,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,  // Floats only.
  kModulo,
  kAbsolute,
  kSign,
  kCeil,  // Floats only, as the next three.
  kFloor,
  kTruncate,
  kRoot,
  kMath,  // Floats a and b; c is a MathFunction.
  // Float: b is the place of a power of ten, c is 1 to divide by it. Integer: c digits before the
  // point, 1 to 19.
  kRound,
  kRoundTo,  // Rounds to integer b digits. Float: c is the place of 10^0 to 10^308.
  kBucket,   // Integer a to the start of its bucket; b and c are the places of width and origin.
  // As kBucket by the calendar in UTC; b is the place of the months, c of the units per second.
  kMonths,
  kToFloat,
  kToInteger,
  kCompare,  // a with b: equal types, or an integer with a float. c is an ExpressionComparison.
  kIsNull,
  kAnd,
  kOr,
  kNot,
  kSelect,  // b if a is true, else c.
  kGreatest,
  kLeast,
  kCoalesce,
};
inline constexpr std::uint32_t kExpressionOps = 35;

enum class ExpressionComparison : std::uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual
};

enum class RegisterType : std::uint8_t { kInteger, kFloat, kBoolean };

// Booleans, ordered so that `and` is the minimum and `or` the maximum.
inline constexpr std::uint8_t kFalse = 0;
inline constexpr std::uint8_t kUnknown = 1;  // Null.
inline constexpr std::uint8_t kTrue = 2;

struct ExpressionStep {
  ExpressionOp op;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
};

// A value for each series that the query names, indexed by place.
struct SeriesColumn {
  RegisterType type = RegisterType::kBoolean;
  std::vector<std::int64_t> integers;
  std::vector<std::uint8_t> nulls;  // Only for integers: 1 is null.
  std::vector<double> floats;       // NaN is null.
  std::vector<std::uint8_t> booleans;

  // True if it has `count` values and all are valid.
  bool isSized(std::size_t count) const;
};

struct ExpressionText {
  std::vector<ExpressionStep> steps;
  std::vector<std::int64_t> integers;
  std::vector<double> floats;
  std::vector<SeriesColumn> columns;
  std::vector<std::uint32_t> outputs;  // Registers.
};

class Expression {
 public:
  static constexpr std::size_t kStepsMax = 2048;
  static constexpr std::size_t kOutputsMax = 64;
  static constexpr std::int64_t kMonthsMax = Months::kCountMax;  // The most months per bucket.

  // An empty expression without outputs.
  Expression() = default;
  // kInvalidArgument if the text is not a program for `seriesCount` series.
  static Result<Expression> make(ExpressionText text, std::size_t seriesCount);

  bool isEmpty() const { return text_.outputs.empty(); }
  // True if its value depends on the place of the series.
  bool hasColumns() const { return !text_.columns.empty(); }
  std::size_t outputCount() const { return text_.outputs.size(); }
  RegisterType outputType(std::size_t output) const { return types_[text_.outputs[output]]; }

 private:
  friend class ExpressionMachine;
  friend class ExpressionChecker;

  ExpressionText text_;
  std::vector<RegisterType> types_;  // Indexed by register.
};

}  // namespace seriesdb
