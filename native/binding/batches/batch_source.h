// What a NativeQueryReader gives, batch by batch.
#pragma once

#include <napi.h>

#include "common/base/status.h"
#include "query/samples/query_stats.h"
#include "storage/state/lane.h"

namespace seriesdb {

class BatchSource {
 public:
  virtual ~BatchSource() = default;

  // Where make() is to be called. This and the others that say nothing else: on the JavaScript
  // thread, and not while make() runs.
  virtual Lane lane() = 0;
  // The next batch; any thread.
  virtual Status make() = 0;
  // What was made, given; null at the end.
  virtual Napi::Value pack(Napi::Env env) = 0;
  // After make(), whatever came of it, when what was made is packed.
  virtual void settle(Napi::Env) {}
  virtual const QueryStats& stats() const = 0;
  // Makes the make() that runs, and all later ones, end early with kClosed.
  virtual void cancel() = 0;
  // Frees all but the statistics. Nothing else but these is asked for any more.
  virtual void release(Napi::Env env) = 0;
};

}  // namespace seriesdb
