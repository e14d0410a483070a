// Brings samples back that a state of the past has and the last one lacks, as lines of JSON:
//
//   {"kind":"plan","series":N}                           of that state, as selected
//   {"kind":"progress","series":n,"samples":restored}    after each batch
//   {"kind":"end","status":"ok","series":N,"restored_series":…,"samples":restored,"present":…}
//
// Plan and end also have "note" where a time was asked for, as noteOfState(), and with a dry run
// "dry_run":true. `restored_series` are those that lacked something.
//
// Series are matched by name and labels. A sample that the database has at that time stays,
// whatever its value; `present` counts those. The others are written as new samples are, through
// the log: so one that is cut short has brought back what it told of, and goes on when it is asked
// for again, and none takes the place of a sample that arrives meanwhile. A deletion that is
// carried out meanwhile takes what has come back by then, and nothing of what comes later.
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
#include "storage/engine/engine.h"
#include "storage/view/merge_cursor.h"

namespace seriesdb {

struct UndeleteRequest {
  PastState past;
  SeriesFilter series;  // Of that state.
  TimeRange range;
  bool isDryRun = false;  // Only counts.
};

class Undelete final : public JsonReader {
 public:
  // `readFs` only reads. Both must outlive it. next() fails with kSnapshotNotFound,
  // kInvalidArgument for a range that ends before it begins, kStorageCorrupt for damage in either
  // state, kBackpressure where memory has no room for a minute, and as commits do. After a failure
  // every later call returns it.
  Undelete(Engine& engine, FileSystem& readFs, UndeleteRequest request)
      : engine_(engine), readFs_(readFs), request_(std::move(request)) {}

  Status next(std::string& piece) override;
  bool isShort() const override { return false; }
  Stage stage() const override { return Stage::kVerify; }

 private:
  // A series of the state that is being read.
  struct Reading {
    PendingSeries series;
    MergeCursor cursor;
    bool isRestored = false;  // Something of it.
  };
  // For one batch: samples of that state, and of the database.
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
  std::string note_;               // noteOfState().
  std::vector<SeriesRef> series_;  // Of that state.
  std::size_t next_ = 0;           // Of them.
  std::optional<Reading> reading_;
  std::vector<Timestamp> ts_;  // Of it, as read last; looked for up to, and without, `at_`.
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
