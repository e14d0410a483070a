// NativeStepTable of src/native/steps-contract.ts: the one batch of a query at steps.
#pragma once

#include <napi.h>

#include <memory>
#include <optional>
#include <utility>

#include "binding/batches/batch_source.h"
#include "binding/batches/lent_arrays.h"
#include "steps/step_reader.h"

namespace seriesdb {

class StepBatches final : public BatchSource {
 public:
  StepBatches(std::unique_ptr<StepReader> reader, LentArrays lent)
      : reader_(std::move(reader)), lent_(std::move(lent)) {}

  Lane lane() override { return reader_->lane(); }
  Status make() override { return reader_->next(table_, isEnd_); }
  Napi::Value pack(Napi::Env env) override;
  // The query has ended.
  void settle(Napi::Env env) override { release(env); }
  const QueryStats& stats() const override { return reader_->stats(); }
  void cancel() override { reader_->cancel(); }
  void release(Napi::Env env) override;

 private:
  const std::unique_ptr<StepReader> reader_;
  LentArrays lent_;
  StepTable table_;
  bool isEnd_ = false;
};

}  // namespace seriesdb
