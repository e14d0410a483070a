// The body of one request in protobuf, whatever its dialect: its bytes, its limits, and how long it
// holds the thread.
//
// A field is read as soon as all of it is there: a short one at once, a long one in steps. Most of
// a body may be one field, so a dialect walks through it message by message and pauses wherever
// the step is used up.
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

// A dialect is a class that derives from its own MessageParser and has:
//   BodyBudget& budget();
//   void enter();  // A step begins; other requests may have been at work since the last one.
//   Status leave();  // It ends; what it staged may be too much.
//   bool begin(const WireField& field);  // Takes a field; false to go on with it by advance().
//   bool advance();  // Goes on; false when step() is used up. Not after an error.
// What is wrong goes to fail(), and a field that fails is taken.
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
    // Also where nothing was written.
    if (error_.ok()) dialect().enter();
    return error_;
  }

 protected:
  explicit MessageParser(std::size_t bodySizeMax) : bodySizeMax_(bodySizeMax) {}

  StepAllowance& step() { return step_; }
  const Status& error() const { return error_; }
  // The first counts. Always false.
  bool fail(Status why) {
    if (error_.ok()) error_ = std::move(why);
    return false;
  }
  // All that came is read, and what follows has this fault, if any; as advance().
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
    // A request that fails is read no further.
    isPaused_ = isPaused_ && error_.ok();
    return error_;
  }

  // False when it pauses, or nothing is left to read.
  bool readField() {
    if (isInField_ && !dialect().advance()) {
      isPaused_ = true;
      return false;
    }
    isInField_ = false;
    if (!error_.ok()) return false;
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
  bool isOver_ = false;  // More came than a body may have.
  Status error_;
};

}  // namespace seriesdb
