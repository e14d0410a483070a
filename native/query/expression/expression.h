// Expressions over samples as programs: steps that each compute one register from earlier ones.
//
// A register is an integer (int64), a float or a boolean, all of which may be null; the meaning of
// every step is that of the interpreter, src/query/seriesql/plan/evaluate.ts. A program comes from
// outside and is checked once, by make(); ExpressionMachine runs it. Immutable, safe for any number
// of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/base/status.h"
#include "query/expression/calendar.h"

namespace seriesdb {

// The names and their order are those of `ops` in src/storage/native/names.ts, as binding/names.h
// has them.
enum class ExpressionOp : std::uint8_t {
  // Sources. `a` is a place in the constants or the columns; a boolean constant is `a` itself.
  kTime,
  kValue,
  kInteger,
  kFloat,
  kBoolean,
  kNull,    // Of an integer.
  kColumn,  // Its value for the series.
  // Numbers of one type: register a, or a and b.
  kNegate,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,  // Floats.
  kModulo,
  kAbsolute,
  kSign,
  kCeil,      // Floats, as the next two.
  kFloor,     //
  kTruncate,  //
  kRoot,      //
  kMath,      // Of floats a and b: c is a MathFunction.
  kRound,     // A float: b is the place of a power of ten, and c whether it divides. An integer:
              // c digits before the point, 1 to 19.
  kRoundTo,   // The same to integer b digits. Of a float, c is the place of 10^0 to 10^308.
  kBucket,    // Of integer a: the start of a bucket; b, c are the places of width and origin.
  kMonths,    // The same by the calendar, UTC: b places the months, c the units of a second.
  kToFloat,
  kToInteger,
  kCompare,  // a with b: of one type, or an integer with a float. c is an ExpressionComparison.
  kIsNull,
  kAnd,
  kOr,
  kNot,
  kSelect,  // Where a is true b, else c.
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

// A value for each series that the query names, by place.
struct SeriesColumn {
  RegisterType type = RegisterType::kBoolean;
  std::vector<std::int64_t> integers;
  std::vector<std::uint8_t> nulls;  // Of integers: 1 is null.
  std::vector<double> floats;       // NaN is null.
  std::vector<std::uint8_t> booleans;

  // Whether it has that many values, all of which are sound.
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
  static constexpr std::int64_t kMonthsMax = Months::kCountMax;  // Of one bucket.

  // Nothing at all.
  Expression() = default;
  // kInvalidArgument when it is no program for `seriesCount` series.
  static Result<Expression> make(ExpressionText text, std::size_t seriesCount);

  bool isEmpty() const { return text_.outputs.empty(); }
  // Whether its value depends on the place of the series.
  bool hasColumns() const { return !text_.columns.empty(); }
  std::size_t outputCount() const { return text_.outputs.size(); }
  RegisterType outputType(std::size_t output) const { return types_[text_.outputs[output]]; }

 private:
  friend class ExpressionMachine;
  friend class ExpressionChecker;

  ExpressionText text_;
  std::vector<RegisterType> types_;  // Of each register.
};

}  // namespace seriesdb
