// The batches of a query without steps, as JavaScript values.
#pragma once

#include <napi.h>

#include <memory>
#include <optional>
#include <utility>

#include "binding/batches/batch_source.h"
#include "query/query_reader.h"
#include "query/query_runs.h"

namespace seriesdb {

// NativeColumnBatch, NativeTable or NativeRowTexts of src/storage/native/contract.ts.
enum class QueryForm : std::uint8_t { kColumns, kTable, kTexts };

class QueryBatches final : public BatchSource {
 public:
  QueryBatches(std::unique_ptr<QueryReader> reader, QueryForm form)
      : reader_(std::move(reader)), form_(form) {}

  Lane lane() override { return reader_->lane(); }
  Status make() override { return reader_->next(*batch_); }
  Napi::Value pack(Napi::Env env) override;
  const QueryStats& stats() const override { return reader_->stats(); }
  void cancel() override { reader_->cancel(); }
  void release(Napi::Env) override {
    batch_.reset();  // Assigning an empty batch would keep the memory of its strings.
    reader_->release();
  }

 private:
  const std::unique_ptr<QueryReader> reader_;
  const QueryForm form_;
  std::optional<QueryBatch> batch_{std::in_place};  // Until release().
};

}  // namespace seriesdb
