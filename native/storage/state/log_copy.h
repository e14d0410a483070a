// A copy of the WAL outside the directory, such as the one in a bucket. The engine tells it which
// records stay, keeps the files that it needs, and may wait for it before it acknowledges.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/base/status.h"
#include "format/log/wal_writer.h"

namespace seriesdb {

// Any thread, unless a method says otherwise.
class LogCopy {
 public:
  using Answer = std::function<void(const Status&)>;

  LogCopy() = default;
  LogCopy(const LogCopy&) = delete;
  LogCopy& operator=(const LogCopy&) = delete;
  virtual ~LogCopy() = default;

  // The records up to `end` stay, and may be copied. The committer calls it after each sync.
  virtual void noteSettled(const WalEnd& end) = 0;
  // WAL files below this number are copied.
  virtual std::uint64_t firstFileNeeded() const = 0;
  // The most bytes of a record with its frame.
  virtual std::size_t recordSizeMax() const = 0;
  // Whether acknowledgements wait for the copy.
  virtual bool isAwaited() const = 0;
  // Calls `answer` once the copy has the records up to `end`, or with the failure: then they may be
  // in the copy, or may come there. On any thread, perhaps at once, in the order of the ends.
  virtual void whenCopied(const WalEnd& end, Answer answer) = 0;
  // Whether writes may begin: fails while the copy is too far behind, or over.
  virtual Status checkWritable() const = 0;
  // Figures for EngineStats, by name.
  virtual std::vector<std::pair<std::string, double>> stats() const = 0;
  // The WAL is closed, and no edit follows. Copies the rest, gives the waiting answers, and ends
  // the threads. Idempotent.
  virtual void finish() = 0;
};

// As LogCopy::checkWritable(); ok for null.
inline Status checkCopied(const LogCopy* copy) {
  return copy == nullptr ? Status() : copy->checkWritable();
}

// Calls `done` with `value`: now, or once the copy has the records of `wal` that are settled now. A
// null copy has nobody wait.
template <typename Value>
void acknowledge(LogCopy* copy, const WalWriter* wal,
                 const std::function<void(Result<Value>)>& done, Result<Value> value) {
  const bool isAwaited = copy != nullptr && wal != nullptr && copy->isAwaited();
  if (!isAwaited || !value.ok()) return done(std::move(value));
  auto held = std::make_shared<Result<Value>>(std::move(value));
  copy->whenCopied(wal->settledEnd(), [done, held](const Status& copied) {
    if (!copied.ok()) return done(copied);
    done(std::move(*held));
  });
}

}  // namespace seriesdb
