// NativeStepTable of src/storage/native/steps-contract.ts: the only batch of a step query.
#pragma once

#include <napi.h>

#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "binding/batches/batch_source.h"
#include "binding/batches/lent_arrays.h"
#include "query/promql/step_reader.h"
#include "query/promql/text/table_print.h"

namespace seriesdb {

class StepBatches final : public BatchSource {
 public:
  StepBatches(std::unique_ptr<StepReader> reader, LentArrays lent)
      : reader_(std::move(reader)), lent_(std::move(lent)) {}

  Lane lane() override { return reader_->lane(); }
  Status make() override { return reader_->next(table_, isEnd_); }
  // The estimated work of make(), in samples. REQUIRES: an earlier lane().
  std::uint64_t work() const { return reader_->work(); }
  Napi::Value pack(Napi::Env env) override;
  // Prints the batch into `room` and returns its size. Null if it is not short or does not fit.
  Napi::Value print(Napi::Env env, const TablePrintForm& form, std::span<std::uint8_t> room);
  // Call when the query has ended.
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
