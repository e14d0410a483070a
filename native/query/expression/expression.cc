#include "query/expression/expression.h"

#include <string>
#include <utility>

#include "query/expression/expression_kernels.h"
#include "query/expression/math_functions.h"

namespace seriesdb {
namespace {

using Op = ExpressionOp;
using Type = RegisterType;

Status badExpression(const char* why) {
  return Status::invalid(std::string("malformed expression: ") + why);
}

bool isNumber(Type type) { return type != Type::kBoolean; }

}  // namespace

bool SeriesColumn::isSized(std::size_t count) const {
  switch (type) {
    case Type::kInteger:
      return integers.size() == count && nulls.size() == count;
    case Type::kFloat:
      return floats.size() == count;
    case Type::kBoolean:
      break;
  }
  for (const std::uint8_t value : booleans) {
    if (value > kTrue) return false;
  }
  return booleans.size() == count;
}

// Finds the type of each register, or the error.
class ExpressionChecker {
 public:
  explicit ExpressionChecker(Expression& expression)
      : text_(expression.text_), types_(expression.types_) {}

  Status check(std::size_t seriesCount) {
    if (text_.steps.size() > Expression::kStepsMax) return badExpression("too many steps");
    if (text_.outputs.empty() || text_.outputs.size() > Expression::kOutputsMax) {
      return badExpression("wrong number of outputs");
    }
    for (const SeriesColumn& column : text_.columns) {
      if (!column.isSized(seriesCount))
        return badExpression("a column whose size is not the series count");
    }
    for (const ExpressionStep& step : text_.steps) {
      Type type = Type::kBoolean;
      if (!checkStep(step, type)) return badExpression("a step that does not fit its operands");
      types_.push_back(type);
    }
    for (const std::uint32_t output : text_.outputs) {
      if (!isRegister(output)) return badExpression("an unknown output");
    }
    return Status::okStatus();
  }

 private:
  bool isRegister(std::uint32_t at) const { return at < types_.size(); }
  bool isOfType(std::uint32_t at, Type type) const { return isRegister(at) && types_[at] == type; }
  bool isInteger(std::uint32_t at) const { return at < text_.integers.size(); }
  bool isPositive(std::uint32_t at) const { return isInteger(at) && text_.integers[at] > 0; }
  bool arePowers(std::uint32_t at) const {
    return text_.floats.size() >= kRoundingPowers && at <= text_.floats.size() - kRoundingPowers;
  }
  bool isSame(std::uint32_t a, std::uint32_t b) const {
    return isRegister(a) && isRegister(b) && types_[a] == types_[b];
  }

  // Sets the type of the step's result; false if the step is invalid.
  bool checkStep(const ExpressionStep& step, Type& type) const {
    if (step.op < Op::kNegate) return checkSource(step, type);
    if (!isRegister(step.a)) return false;
    const Type a = types_[step.a];
    type = a;
    switch (step.op) {
      case Op::kNegate:
      case Op::kAbsolute:
      case Op::kSign:
        return isNumber(a);
      case Op::kAdd:
      case Op::kSubtract:
      case Op::kMultiply:
      case Op::kModulo:
        return isNumber(a) && isSame(step.a, step.b);
      case Op::kDivide:
        return a == Type::kFloat && isSame(step.a, step.b);
      case Op::kCeil:
      case Op::kFloor:
      case Op::kTruncate:
      case Op::kRoot:
        return a == Type::kFloat;
      case Op::kGreatest:
      case Op::kLeast:
      case Op::kCoalesce:
        return isSame(step.a, step.b);
      default:
        return checkOther(step, a, type);
    }
  }

  bool checkSource(const ExpressionStep& step, Type& type) const {
    switch (step.op) {
      case Op::kTime:
      case Op::kNull:
        type = Type::kInteger;
        return true;
      case Op::kValue:
        type = Type::kFloat;
        return true;
      case Op::kInteger:
        type = Type::kInteger;
        return isInteger(step.a);
      case Op::kFloat:
        type = Type::kFloat;
        return step.a < text_.floats.size();
      case Op::kBoolean:
        return step.a <= kTrue;
      default:
        if (step.a >= text_.columns.size()) return false;
        type = text_.columns[step.a].type;
        return true;
    }
  }

  bool checkOther(const ExpressionStep& step, Type a, Type& type) const {
    constexpr std::uint32_t kDigitsMax = 19;
    const auto comparisons = static_cast<std::uint32_t>(ExpressionComparison::kGreaterEqual);
    switch (step.op) {
      case Op::kRound:
        if (a == Type::kFloat) return step.b < text_.floats.size();
        return a == Type::kInteger && step.c >= 1 && step.c <= kDigitsMax;
      case Op::kRoundTo:
        if (!isOfType(step.b, Type::kInteger)) return false;
        return a == Type::kInteger || (a == Type::kFloat && arePowers(step.c));
      case Op::kMath:
        return a == Type::kFloat && isSame(step.a, step.b) && step.c < kMathFunctions;
      case Op::kBucket:
        return a == Type::kInteger && isPositive(step.b) && isInteger(step.c);
      case Op::kMonths:
        return a == Type::kInteger && isPositive(step.b) && isPositive(step.c) &&
               text_.integers[step.b] <= Expression::kMonthsMax;
      case Op::kToFloat:
        type = Type::kFloat;
        return a != Type::kFloat;
      case Op::kToInteger:
        type = Type::kInteger;
        return a != Type::kInteger;
      case Op::kCompare:
        type = Type::kBoolean;
        if (step.c > comparisons) return false;
        return isSame(step.a, step.b) || (a == Type::kInteger && isOfType(step.b, Type::kFloat));
      case Op::kIsNull:
        type = Type::kBoolean;
        return true;
      case Op::kAnd:
      case Op::kOr:
        return a == Type::kBoolean && isSame(step.a, step.b);
      case Op::kNot:
        return a == Type::kBoolean;
      case Op::kSelect:
        if (a != Type::kBoolean || !isSame(step.b, step.c)) return false;
        type = types_[step.b];
        return true;
      default:
        return false;
    }
  }

  const ExpressionText& text_;
  std::vector<Type>& types_;
};

Result<Expression> Expression::make(ExpressionText text, std::size_t seriesCount) {
  Expression expression;
  expression.text_ = std::move(text);
  const Status checked = ExpressionChecker(expression).check(seriesCount);
  if (!checked.ok()) return checked;
  return expression;
}

}  // namespace seriesdb
