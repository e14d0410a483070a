// Compacts or migrates a database and reports in lines of JSON while the compactor works:
//
//   {"kind":"waiting"}
//   {"kind":"plan","segments":9,"bytes":81234}
//   {"kind":"progress","segments":7,"bytes":20000,"bytes_left":61234}
//   {"kind":"end","status":"compacted","segments_before":9,"segments_after":1,…}
//
// `waiting`: the compactor is busy with other work. `segments` is the number of segments; for a
// migration, of segments still to be renamed. In the plan `bytes` is the estimated total to read;
// in other lines, the bytes read so far. next() returns at once; the caller chooses how often to
// poll. The first call starts the task; destroying the reader cancels it.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "common/base/lock_order.h"
#include "query/answers/json_reader.h"
#include "storage/compactor/task_watch.h"

namespace seriesdb {

class TaskReader final : public JsonReader {
 public:
  // Engine::compact() or migrate(): starts the task, and calls `done` on any thread. next() returns
  // its failure.
  template <typename Report>
  using Begin = std::function<void(std::function<void(Result<Report>)> done,
                                   std::shared_ptr<TaskWatch> watch)>;

  explicit TaskReader(const Begin<CompactionReport>& begin);
  explicit TaskReader(const Begin<MigrationReport>& begin);
  ~TaskReader() override { watch_->giveUp(); }

  Status next(std::string& piece) override;
  bool isShort() const override { return true; }
  Stage stage() const override { return Stage::kVerify; }

 private:
  // The last line, written by the compactor's thread. May outlive the reader.
  struct Ended {
    OrderedMutex<LockRank::kTaskEnd> mutex;
    std::optional<Result<std::string>> line;
  };
  enum class Step : std::uint8_t { kBegin, kWaiting, kPlanned, kEnded };

  template <typename Report>
  std::function<void()> beginWith(const Begin<Report>& begin);

  const std::shared_ptr<TaskWatch> watch_ = std::make_shared<TaskWatch>();
  const std::shared_ptr<Ended> ended_ = std::make_shared<Ended>();
  const std::function<void()> begin_;
  Step step_ = Step::kBegin;
};

}  // namespace seriesdb
