#include "storage/engine/empty_labels.h"

#include <algorithm>
#include <future>
#include <limits>
#include <utility>
#include <vector>

#include "index/series_index.h"
#include "ingest/staged_samples.h"
#include "storage/state/engine_options.h"
#include "storage/view/merge_cursor.h"
#include "storage/view/view.h"
#include "storage/write/write_values.h"

namespace seriesdb {
namespace {

constexpr TimeRange kAllTimes{std::numeric_limits<Timestamp>::min(),
                              std::numeric_limits<Timestamp>::max()};
// Series renamed per commit.
constexpr std::size_t kRenamedPerCommit = std::size_t{1} << 16;
// Series renamed per deletion.
constexpr std::size_t kRenamedPerRemoval = 4096;

class Renaming {
 public:
  explicit Renaming(Engine& engine) : engine_(engine), index_(engine.index()) {}

  // Ends at the first failure. Moved samples are deleted from the old series afterwards: if the
  // process dies in between, they exist twice until the next start repeats the step.
  void run() {
    Status done;
    for (const SeriesRef ref : index_->withEmptyLabel()) {
      done = move(ref);
      if (done.ok()) moved_.push_back(index_->idOf(ref));
      if (done.ok() && moved_.size() == kRenamedPerRemoval) done = removeMoved();
      if (!done.ok()) break;
    }
    static_cast<void>(removeMoved().ok());
  }

 private:
  Status move(SeriesRef ref) {
    auto view = engine_.pinView(kAllTimes);
    if (!view.ok()) return view.status();
    MergeCursor cursor(std::move(view).value(), ref, kAllTimes);
    SeriesDefinition series = index_->definition(ref);
    eraseEmpty(series.labels);
    for (;;) {
      std::vector<Timestamp> ts;
      std::vector<double> values;
      const Status read = cursor.next(kRenamedPerCommit, ts, values);
      if (!read.ok() || ts.empty()) return read;
      StagedSamples batch;
      batch.ts.append(ts);
      batch.values.append(values);
      batch.refs.resize(ts.size());
      std::ranges::fill(batch.refs, kPendingBit);
      batch.pendingSeries.push_back({series.name, series.labels});
      if (Status stored = store(std::move(batch)); !stored.ok()) return stored;
    }
  }

  Status store(StagedSamples batch) {
    if (Status room = makeRoom(); !room.ok()) return room;
    std::promise<Status> answer;
    engine_.commitMissing(std::move(batch), 0, [&answer](const Result<IngestReport>& report) {
      answer.set_value(report.status());
    });
    return answer.get_future().get();
  }

  Status makeRoom() {
    Status room = engine_.checkRoom();
    if (room.code() != StatusCode::kBackpressure) return room;
    std::promise<Status> answer;
    engine_.flush([&answer](const Status& status) { answer.set_value(status); });
    Status flushed = answer.get_future().get();
    return flushed.ok() ? engine_.checkRoom() : flushed;
  }

  Status removeMoved() {
    if (moved_.empty()) return {};
    std::promise<Status> answer;
    engine_.remove(Removal::ofIds(std::exchange(moved_, {}), kAllTimes),
                   [&answer](const auto& removed) { answer.set_value(removed.status()); });
    return answer.get_future().get();
  }

  Engine& engine_;
  PinnedIndex index_;
  std::vector<SeriesId> moved_;
};

}  // namespace

void renameEmptyLabels(Engine& engine) { Renaming(engine).run(); }

}  // namespace seriesdb
