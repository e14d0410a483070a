#include "query/expression/expression_machine.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "query/expression/math_functions.h"

namespace seriesdb {
namespace {

using Op = ExpressionOp;
using Type = RegisterType;

constexpr std::size_t kTypes = 3;
constexpr std::uint32_t kAlways = UINT32_MAX;

// Calls visit(register) for each register that the step reads.
template <typename Visit>
void forEachOperand(const ExpressionStep& step, Visit visit) {
  if (step.op < Op::kNegate) return;
  visit(step.a);
  switch (step.op) {
    case Op::kSelect:
      visit(step.b);
      return visit(step.c);
    case Op::kAdd:
    case Op::kSubtract:
    case Op::kMultiply:
    case Op::kDivide:
    case Op::kModulo:
    case Op::kMath:
    case Op::kRoundTo:
    case Op::kCompare:
    case Op::kAnd:
    case Op::kOr:
    case Op::kGreatest:
    case Op::kLeast:
    case Op::kCoalesce:
      return visit(step.b);
    default:
      return;
  }
}

template <typename T>
void selectLanes(std::size_t n, const std::uint8_t* when, const T* then, const T* otherwise,
                 T* out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = when[i] == kTrue ? then[i] : otherwise[i];
}

}  // namespace

ExpressionMachine::ExpressionMachine(const Expression& expression)
    : expression_(expression), registers_(expression.types_.size()), noNulls_(kLanes, 0) {
  const auto& steps = expression_.text_.steps;
  for (std::size_t at = 0; at < steps.size(); ++at) {
    if (steps[at].op == Op::kTime) timeSteps_.push_back(at);
    if (steps[at].op == Op::kValue) valueSteps_.push_back(at);
    if (steps[at].op == Op::kColumn) columnSteps_.push_back(at);
    if (steps[at].op >= Op::kNegate) computed_.push_back(at);
  }
  assignSlots();
  fillConstants();
}

// For each register its last reading step. Outputs and registers filled only once are never freed.
std::vector<std::uint32_t> ExpressionMachine::lastUses() const {
  const ExpressionText& text = expression_.text_;
  std::vector<std::uint32_t> last(text.steps.size());
  for (std::uint32_t at = 0; at < text.steps.size(); ++at) {
    last[at] = text.steps[at].op < Op::kNegate ? kAlways : at;
    forEachOperand(text.steps[at], [&](std::uint32_t operand) {
      if (last[operand] != kAlways) last[operand] = at;
    });
  }
  for (const std::uint32_t output : text.outputs) last[output] = kAlways;
  return last;
}

void ExpressionMachine::assignSlots() {
  const auto& steps = expression_.text_.steps;
  const std::vector<std::uint32_t> last = lastUses();
  std::array<std::uint32_t, kTypes> counts{};
  std::array<std::vector<std::uint32_t>, kTypes> free;
  std::vector<std::uint32_t> slots(steps.size());
  for (std::uint32_t at = 0; at < steps.size(); ++at) {
    // A result may reuse an operand's register, because all steps work lane by lane.
    forEachOperand(steps[at], [&](std::uint32_t operand) {
      auto& ofType = free[static_cast<std::size_t>(expression_.types_[operand])];
      const bool isFree = std::find(ofType.begin(), ofType.end(), slots[operand]) != ofType.end();
      if (last[operand] == at && !isFree) ofType.push_back(slots[operand]);
    });
    const auto type = static_cast<std::size_t>(expression_.types_[at]);
    // A register filled only once must not be overwritten by earlier steps of the next block.
    if (free[type].empty() || steps[at].op < Op::kNegate) {
      slots[at] = counts[type]++;
    } else {
      slots[at] = free[type].back();
      free[type].pop_back();
    }
  }
  integers_.resize(counts[0] * kLanes);
  floats_.resize(counts[1] * kLanes);
  bytes_.resize((counts[0] + counts[2]) * kLanes);  // Nulls first.
  for (std::size_t at = 0; at < steps.size(); ++at) {
    const std::size_t from = slots[at] * kLanes;
    Register& reg = registers_[at];
    switch (expression_.types_[at]) {
      case Type::kInteger:
        reg.integers = integers_.data() + from;
        reg.nulls = bytes_.data() + from;
        break;
      case Type::kFloat:
        reg.floats = floats_.data() + from;
        break;
      case Type::kBoolean:
        reg.booleans = bytes_.data() + counts[0] * kLanes + from;
        break;
    }
  }
}

void ExpressionMachine::fillConstants() {
  const ExpressionText& text = expression_.text_;
  for (std::size_t at = 0; at < text.steps.size(); ++at) {
    const ExpressionStep& step = text.steps[at];
    const Register& reg = registers_[at];
    switch (step.op) {
      case Op::kInteger:
      case Op::kNull:
        std::fill_n(reg.integers, kLanes, step.op == Op::kNull ? 0 : text.integers[step.a]);
        std::fill_n(reg.nulls, kLanes, static_cast<std::uint8_t>(step.op == Op::kNull));
        break;
      case Op::kFloat: {
        const double value = text.floats[step.a];
        const bool isFinite = std::isfinite(value);
        std::fill_n(reg.floats, kLanes,
                    isFinite ? value : std::numeric_limits<double>::quiet_NaN());
        break;
      }
      case Op::kBoolean:
        std::fill_n(reg.booleans, kLanes, static_cast<std::uint8_t>(step.a));
        break;
      default:
        break;
    }
  }
}

void ExpressionMachine::beginSeries(std::uint32_t place) {
  for (const std::size_t at : columnSteps_) {
    const SeriesColumn& column = expression_.text_.columns[expression_.text_.steps[at].a];
    const Register& reg = registers_[at];
    switch (column.type) {
      case Type::kInteger:
        std::fill_n(reg.integers, kLanes, column.integers[place]);
        std::fill_n(reg.nulls, kLanes, column.nulls[place]);
        break;
      case Type::kFloat:
        std::fill_n(reg.floats, kLanes, column.floats[place]);
        break;
      case Type::kBoolean:
        std::fill_n(reg.booleans, kLanes, column.booleans[place]);
        break;
    }
  }
}

void ExpressionMachine::run(std::span<const Timestamp> ts, std::span<const double> values) {
  // The cast is safe: a source's register is only read and never reused.
  for (const std::size_t at : timeSteps_) {
    registers_[at].integers = const_cast<std::int64_t*>(ts.data());
    registers_[at].nulls = noNulls_.data();
  }
  for (const std::size_t at : valueSteps_) {
    registers_[at].floats = const_cast<double*>(values.data());
  }
  for (const std::size_t at : computed_) runStep(at, ts.size());
}

void ExpressionMachine::runStep(std::size_t at, std::size_t n) {
  const ExpressionStep& step = expression_.text_.steps[at];
  const Register& out = registers_[at];
  switch (step.op) {
    case Op::kToFloat:
    case Op::kToInteger:
      return convert(step, n, out);
    case Op::kCompare:
      return compare(step, n, out);
    case Op::kIsNull:
      return testNull(step, n, out);
    case Op::kSelect:
      return select(step, n, out);
    case Op::kNot: {
      const std::uint8_t* a = registers_[step.a].booleans;
      for (std::size_t i = 0; i < n; ++i) {
        out.booleans[i] = static_cast<std::uint8_t>(kTrue - a[i]);
      }
      return;
    }
    default:
      return runNumeric(step, n, out);
  }
}

void ExpressionMachine::runNumeric(const ExpressionStep& step, std::size_t n, const Register& out) {
  const Type type = expression_.types_[step.a];
  if (type == Type::kInteger) return runInteger(step, n, out);
  const Register& a = registers_[step.a];
  if (type == Type::kBoolean) {
    return runBooleanPair(step.op, n, a.booleans, registers_[step.b].booleans, out.booleans);
  }
  switch (step.op) {
    case Op::kNegate:
    case Op::kAbsolute:
    case Op::kSign:
    case Op::kCeil:
    case Op::kFloor:
    case Op::kTruncate:
    case Op::kRoot:
      return runFloatOne(step.op, n, a.floats, out.floats);
    case Op::kRound: {
      const double factor = expression_.text_.floats[step.b];
      return roundFloats(n, a.floats, factor, step.c != 0, out.floats);
    }
    case Op::kRoundTo: {
      const double* powers = expression_.text_.floats.data() + step.c;
      return roundFloatsTo(n, a.floats, registers_[step.b].lanes(), powers, out.floats);
    }
    case Op::kMath: {
      const auto function = static_cast<MathFunction>(step.c);
      return runMath(function, n, a.floats, registers_[step.b].floats, out.floats);
    }
    default:
      return runFloatPair(step.op, n, a.floats, registers_[step.b].floats, out.floats);
  }
}

void ExpressionMachine::runInteger(const ExpressionStep& step, std::size_t n, const Register& out) {
  const IntegerLanes a = registers_[step.a].lanes();
  const auto& constants = expression_.text_.integers;
  switch (step.op) {
    case Op::kNegate:
    case Op::kAbsolute:
    case Op::kSign:
      return runIntegerOne(step.op, n, a, out.lanes());
    case Op::kRound:
      return roundIntegers(n, a, step.c, out.lanes());
    case Op::kRoundTo:
      return roundIntegersTo(n, a, registers_[step.b].lanes(), out.lanes());
    case Op::kBucket:
      return bucketStarts(n, a, constants[step.b], constants[step.c], out.lanes());
    case Op::kMonths:
      return monthStarts(n, a, constants[step.b], constants[step.c], out.lanes());
    default:
      return runIntegerPair(step.op, n, a, registers_[step.b].lanes(), out.lanes());
  }
}

void ExpressionMachine::convert(const ExpressionStep& step, std::size_t n, const Register& out) {
  const Register& a = registers_[step.a];
  const bool isBoolean = expression_.types_[step.a] == Type::kBoolean;
  constexpr double kNull = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < n; ++i) {
    if (step.op == Op::kToFloat) {
      const bool isNull = isBoolean ? a.booleans[i] == kUnknown : a.nulls[i] != 0;
      const double value =
          isBoolean ? (a.booleans[i] == kTrue ? 1 : 0) : static_cast<double>(a.integers[i]);
      out.floats[i] = isNull ? kNull : value;
      continue;
    }
    if (isBoolean) {
      out.integers[i] = a.booleans[i] == kTrue ? 1 : 0;
      out.nulls[i] = a.booleans[i] == kUnknown ? 1 : 0;
      continue;
    }
    constexpr double kLimit = 9223372036854775808.0;
    const double whole = std::trunc(a.floats[i]);
    const bool isHeld = whole >= -kLimit && whole < kLimit;
    out.integers[i] = isHeld ? static_cast<std::int64_t>(whole) : 0;
    out.nulls[i] = isHeld ? 0 : 1;
  }
}

void ExpressionMachine::compare(const ExpressionStep& step, std::size_t n, const Register& out) {
  const auto how = static_cast<ExpressionComparison>(step.c);
  const Register& a = registers_[step.a];
  const Register& b = registers_[step.b];
  switch (expression_.types_[step.a]) {
    case Type::kFloat:
      return compareFloats(how, n, a.floats, b.floats, out.booleans);
    case Type::kBoolean:
      return compareBooleans(how, n, a.booleans, b.booleans, out.booleans);
    case Type::kInteger:
      break;
  }
  if (expression_.types_[step.b] == Type::kInteger) {
    return compareIntegers(how, n, a.lanes(), b.lanes(), out.booleans);
  }
  compareMixed(how, n, a.lanes(), b.floats, out.booleans);
}

void ExpressionMachine::testNull(const ExpressionStep& step, std::size_t n, const Register& out) {
  const Register& a = registers_[step.a];
  const Type type = expression_.types_[step.a];
  for (std::size_t i = 0; i < n; ++i) {
    bool isNull = false;
    if (type == Type::kInteger) isNull = a.nulls[i] != 0;
    if (type == Type::kFloat) isNull = std::isnan(a.floats[i]);
    if (type == Type::kBoolean) isNull = a.booleans[i] == kUnknown;
    out.booleans[i] = isNull ? kTrue : kFalse;
  }
}

void ExpressionMachine::select(const ExpressionStep& step, std::size_t n, const Register& out) {
  const std::uint8_t* when = registers_[step.a].booleans;
  const Register& b = registers_[step.b];
  const Register& c = registers_[step.c];
  switch (expression_.types_[step.b]) {
    case Type::kInteger:
      selectLanes(n, when, b.integers, c.integers, out.integers);
      return selectLanes(n, when, b.nulls, c.nulls, out.nulls);
    case Type::kFloat:
      return selectLanes(n, when, b.floats, c.floats, out.floats);
    case Type::kBoolean:
      return selectLanes(n, when, b.booleans, c.booleans, out.booleans);
  }
}

}  // namespace seriesdb
