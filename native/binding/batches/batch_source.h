// The source of a NativeQueryReader: makes an answer batch by batch.
#pragma once

#include <napi.h>

#include "common/base/status.h"
#include "query/samples/query_stats.h"
#include "storage/state/lane.h"

namespace seriesdb {

class BatchSource {
 public:
  virtual ~BatchSource() = default;

  // The lane for make(). Unless a method says otherwise, call it on the JavaScript thread and not
  // during make().
  virtual Lane lane() = 0;
  // Makes the next batch; any thread.
  virtual Status make() = 0;
  // The batch as a JavaScript value, which owns it; null at the end.
  virtual Napi::Value pack(Napi::Env env) = 0;
  // Call after each make(), also after a failed one, when its batch is packed.
  virtual void settle(Napi::Env) {}
  virtual const QueryStats& stats() const = 0;
  // Ends the current make() and all later ones early, with kClosed. May be called during make().
  virtual void cancel() = 0;
  // Frees everything except the statistics. Afterwards only stats() may be called.
  virtual void release(Napi::Env env) = 0;
};

}  // namespace seriesdb
