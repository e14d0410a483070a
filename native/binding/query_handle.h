// NativeQueryReader of src/native/contract.ts.
#pragma once

#include <napi.h>

#include <memory>
#include <optional>
#include <utility>

#include "binding/errors.h"
#include "binding/session.h"
#include "query/query_reader.h"

namespace seriesdb {

// What next() gives.
enum class QueryForm : std::uint8_t { kColumns, kTable, kTexts };

class QueryHandle : public Napi::ObjectWrap<QueryHandle> {
 public:
  static Napi::Function define(Napi::Env env);
  explicit QueryHandle(const Napi::CallbackInfo& info);

  void begin(std::shared_ptr<Session> session, std::unique_ptr<QueryReader> reader, QueryForm form);

 private:
  // Shared with the query thread that makes a batch, which may outlive the handle.
  struct Work {
    std::unique_ptr<QueryReader> reader;
    QueryForm form;
    std::optional<QueryBatch> batch{std::in_place};  // Until release().
    bool isBusy = false;
    bool isClosed = false;

    Lane lane() { return reader->lane(); }
    Status make(Engine&) { return reader->next(*batch); }
    void settle(Napi::Env env, const Answer& answer, const Status& status);
    // What was read goes at once, and not when the handle is collected; statistics stay.
    void release();
  };

  Napi::Value next(const Napi::CallbackInfo& info);
  Napi::Value stats(const Napi::CallbackInfo& info);
  Napi::Value close(const Napi::CallbackInfo& info);

  std::shared_ptr<Session> session_;
  std::shared_ptr<Work> work_;
};

}  // namespace seriesdb
