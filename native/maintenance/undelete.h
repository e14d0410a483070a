// Restores samples that a past state has and the current one lacks, and reports in lines of JSON:
//
//   {"kind":"plan","series":N}                           of that state, as selected
//   {"kind":"progress","series":n,"samples":restored}    after each batch
//   {"kind":"end","status":"ok","series":N,"restored_series":…,"samples":restored,"present":…}
//
// Plan and end also have "note" if a time was given, see noteOfState(), and "dry_run":true in a dry
// run. `restored_series` counts the series that lacked samples.
//
// Series are matched by name and labels. If the database has a sample at that time, it stays,
// whatever its value; `present` counts these. The others are written like new samples, through the
// WAL. So an interrupted undelete keeps the reported samples, and a second one continues. No sample
// that arrives meanwhile is overwritten. A concurrent deletion erases only the samples that are
// restored before it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/file/file_system.h"
#include "index/selection/series_filter.h"
#include "query/answers/json_reader.h"
#include "storage/ledger/past_state.h"
#include "storage/view/pinned_view.h"

namespace seriesdb {

class Engine;
struct StagedSamples;

struct UndeleteRequest {
  PastState past;
  SeriesFilter series;  // Selects series of that state.
  TimeRange range;
  bool isDryRun = false;  // Only count.
};

class Undelete final : public JsonReader {
 public:
  // `readFs` is read-only. Both must outlive this. next() fails with kSnapshotNotFound,
  // kInvalidArgument for a range that ends before it begins, kStorageCorrupt for damage in either
  // state, kBackpressure if memory has no room for a minute, and as commits do. After a failure
  // every later call returns it.
  Undelete(Engine& engine, FileSystem& readFs, UndeleteRequest request);
  ~Undelete() override;

  Status next(std::string& piece) override;
  bool isShort() const override { return false; }
  Stage stage() const override { return Stage::kVerify; }

 private:
  // The series of the past state that is being read.
  struct Reading;
  // Samples examined for one batch: of the past state, and of the database.
  struct Looked {
    std::uint64_t samples = 0;
    std::uint64_t there = 0;
  };

  Status step(std::string& piece);
  Status begin(std::string& piece);
  void end();
  Status restoreSome(std::string& piece);
  Status fill(StagedSamples& batch);
  Status openSeries();
  Status readSome(std::size_t countMax);
  Status takeMissing(const PinnedView& view, StagedSamples& batch, Looked& looked);
  void stage(StagedSamples& batch);
  Status store(StagedSamples batch);
  Status awaitRoom();

  Engine& engine_;
  FileSystem& readFs_;
  const UndeleteRequest request_;
  std::unique_ptr<Engine> past_;
  std::string note_;               // See noteOfState().
  std::vector<SeriesRef> series_;  // Series of the past state.
  std::size_t next_ = 0;           // Index of the next series.
  std::unique_ptr<Reading> reading_;  // Null between two series.
  std::vector<Timestamp> ts_;  // The samples read last; those before `at_` are done.
  std::vector<double> values_;
  std::size_t at_ = 0;
  std::vector<std::uint32_t> missing_;
  std::uint64_t restoredSeries_ = 0;
  std::uint64_t restored_ = 0;
  std::uint64_t present_ = 0;
  bool isDone_ = false;
  Status failure_;
};

}  // namespace seriesdb
