// The part of a protobuf parser that all dialects share: the bytes of the body, its limits, and its
// pauses.
//
// A field is read once it is complete: a short one at once, a long one in steps. One field may be
// most of a body. So a dialect walks through it message by message, and pauses when the step is
// used up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "common/protobuf/field_pieces.h"
#include "ingest/body_budget.h"
#include "ingest/ingest_options.h"
#include "ingest/ingest_parser.h"
#include "ingest/record.h"

namespace seriesdb {

// A dialect derives from MessageParser<itself> and has:
//   BodyBudget& budget();
//   void enter();  // A step begins; other requests may have run since the last one.
//   Status leave();  // A step ends; fails if too much is staged.
//   bool begin(const WireField& field);  // Reads a field; false if advance() must continue it.
//   bool advance();  // Continues; false when step() is used up. Not called after an error.
// Errors go to fail(); a field that fails counts as read.
template <typename Dialect>
class MessageParser : public IngestParser {
 public:
  Status write(Bytes chunk) final {
    while (isPaused_) static_cast<void>(proceed(SIZE_MAX));
    if (!error_.ok()) return error_;
    const Bytes taken = dialect().budget().arrive(chunk);
    isOver_ = taken.size() < chunk.size();
    pieces_.lend(taken);
    return run(chunk.size());
  }
  bool isBusy() const final { return isPaused_; }
  Status proceed(std::size_t size) final { return run(size); }
  Status finish() override {
    while (isPaused_) static_cast<void>(proceed(SIZE_MAX));
    if (!pieces_.isWhole()) fail({StatusCode::kInvalidRecord, "the body is cut short"});
    // Also needed if nothing was written.
    if (error_.ok()) dialect().enter();
    return error_;
  }

 protected:
  explicit MessageParser(std::size_t bodySizeMax) : bodySizeMax_(bodySizeMax) {}

  StepAllowance& step() { return step_; }
  const Status& error() const { return error_; }
  // Keeps the first error. Always returns false.
  bool fail(Status why) {
    if (error_.ok()) error_ = std::move(why);
    return false;
  }
  // Called when all complete fields are read; `fault`, if any, follows them. Returns as advance()
  // does.
  bool end(const Status& fault) {
    if (!fault.ok()) fail(fault);
    return true;
  }
  std::size_t carriedBytes() const { return pieces_.memoryBytes(); }

 private:
  Dialect& dialect() { return static_cast<Dialect&>(*this); }

  Status run(std::size_t size) {
    step_.begin(size);
    dialect().enter();
    isPaused_ = false;
    while (error_.ok() && readField()) {
    }
    if (isPaused_) pieces_.keep();
    if (Status fits = dialect().leave(); !fits.ok()) fail(std::move(fits));
    // A failed request is not read further.
    isPaused_ = isPaused_ && error_.ok();
    return error_;
  }

  // Frees the field that was read. False if the step is used up before.
  bool freeField() {
    while (pieces_.freePart()) {
      step_.take(StepAllowance::kFreeCost);
      if (step_.isUsedUp()) return false;
    }
    return true;
  }

  // False if it pauses, or no complete field is left.
  bool readField() {
    if (isInField_ && !dialect().advance()) {
      isPaused_ = true;
      return false;
    }
    isInField_ = false;
    if (!error_.ok()) return false;
    if (!freeField()) {
      isPaused_ = true;
      return false;
    }
    WireField field;
    const WireStep step = pieces_.next(field);
    if (step == WireStep::kField) {
      isInField_ = !dialect().begin(field);
      return true;
    }
    Status fault;
    if (step == WireStep::kDamaged) {
      fault = {StatusCode::kInvalidRecord, "the body is not protobuf"};
    } else if (isOver_) {
      fault = tooLargeBody(bodySizeMax_);
    }
    isInField_ = isPaused_ = !dialect().end(fault);
    return false;
  }

  const std::size_t bodySizeMax_;
  FieldPieces pieces_;
  StepAllowance step_;
  bool isInField_ = false;
  bool isPaused_ = false;
  bool isOver_ = false;  // The body exceeds its maximum size.
  Status error_;
};

}  // namespace seriesdb
