#include "ingest/otlp/json_parser.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/base/check.h"
#include "ingest/body_budget.h"
#include "ingest/otlp/json_request.h"
#include "ingest/otlp/otlp_parser.h"
#include "ingest/record.h"

namespace seriesdb {
namespace {

// The maximum bytes of protobuf per byte of JSON: `1,` becomes a number of eight bytes.
constexpr std::size_t kJsonGrowthMax = 4;

IngestOptions optionsOfMessages(IngestOptions options) {
  options.limits.bodySizeMax *= kJsonGrowthMax;
  return options;
}

class OtlpJsonParser final : public IngestParser {
 public:
  OtlpJsonParser(ParserState& state, const IngestOptions& options)
      : bodySizeMax_(options.limits.bodySizeMax),
        messages_(makeOtlpParser(state, optionsOfMessages(options))) {}

  Status write(Bytes chunk) override;
  bool isBusy() const override {
    return error_.ok() && (messages_->isBusy() || !request_.ready().empty() || request_.isSpent());
  }
  Status proceed(std::size_t size) override;
  Status finish() override;
  StagedSamples take() override {
    CHECK(error_.ok());
    return messages_->take();
  }
  std::uint64_t refusedCount() const override {
    return messages_->refusedCount() + (isOwnError_ ? 1 : 0);
  }
  std::size_t memoryBytes() const override {
    return request_.memoryBytes() + messages_->memoryBytes();
  }

 private:
  void freeSpent(std::size_t size);

  const std::size_t bodySizeMax_;
  std::size_t bodySize_ = 0;
  JsonRequest request_;
  Status fault_;  // The fault of the JSON text; reported after everything before it is read.
  std::unique_ptr<IngestParser> messages_;
  Status error_;
  bool isOwnError_ = false;
};

Status OtlpJsonParser::write(Bytes chunk) {
  while (isBusy()) static_cast<void>(proceed(SIZE_MAX));
  if (!error_.ok()) return error_;
  const Bytes taken = chunk.first(std::min(bodySizeMax_ - bodySize_, chunk.size()));
  bodySize_ += taken.size();
  fault_ = request_.write(asText(taken));
  if (fault_.ok() && taken.size() < chunk.size()) fault_ = tooLargeBody(bodySizeMax_);
  return proceed(chunk.size());
}

Status OtlpJsonParser::proceed(std::size_t size) {
  if (messages_->isBusy()) {
    error_ = messages_->proceed(size);
  } else if (request_.isSpent()) {
    freeSpent(size);
  } else if (const Bytes ready = request_.ready(); !ready.empty()) {
    const Bytes piece = ready.first(std::min(size, ready.size()));
    error_ = messages_->write(piece);
    request_.take(piece.size());
  }
  if (error_.ok() && !fault_.ok() && !isBusy()) {
    error_ = fault_;
    isOwnError_ = true;
  }
  return error_;
}

void OtlpJsonParser::freeSpent(std::size_t size) {
  StepAllowance step;
  step.begin(size);
  while (request_.freePart() && !step.isUsedUp()) step.take(StepAllowance::kFreeCost);
}

Status OtlpJsonParser::finish() {
  while (isBusy()) static_cast<void>(proceed(SIZE_MAX));
  if (error_.ok()) {
    error_ = request_.finish();
    isOwnError_ = !error_.ok();
  }
  if (error_.ok()) error_ = messages_->finish();
  return error_;
}

}  // namespace

std::unique_ptr<IngestParser> makeOtlpJsonParser(ParserState& state, const IngestOptions& options) {
  return std::make_unique<OtlpJsonParser>(state, options);
}

}  // namespace seriesdb
