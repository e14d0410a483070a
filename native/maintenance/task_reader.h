// Merging or migrating what a database has, told in lines of JSON while the compactor does it:
//
//   {"kind":"waiting"}
//   {"kind":"plan","segments":9,"bytes":81234}
//   {"kind":"progress","segments":7,"bytes":20000,"bytes_left":61234}
//   {"kind":"end","status":"compacted","segments_before":9,"segments_after":1,…}
//
// It waits while the compactor does something else. `segments` are those that there are, of a
// migration those that are to get another name; `bytes` of the plan are to be read, as far as can
// be foreseen, of other lines they were read. next() only looks, and so does not wait for news:
// who asks does so when it likes. The first call begins it, and without the reader it is given up.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "query/answers/json_reader.h"
#include "storage/compactor/task_watch.h"

namespace seriesdb {

class TaskReader final : public JsonReader {
 public:
  // Engine::compact() or migrate(): begins it, and calls `done` on any thread. What it fails with,
  // next() does.
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
  // What the compactor's thread leaves, which may outlive the reader: the last line.
  struct Ended {
    std::mutex mutex;
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
