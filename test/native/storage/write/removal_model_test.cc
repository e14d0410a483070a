// Concurrent requests and deletions, beside failing flushes and readers of older views, over
// restarts and power cuts: acknowledged changes hold, in order, and refused ones leave no trace.
#include <algorithm>
#include <array>
#include <random>
#include <utility>
#include <vector>

#include "query/samples/series_stretches.h"
#include "storage/engine/engine_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

constexpr int kSeries = 5;
// Samples that no deletion reaches, so that every series can be found at any time.
constexpr Timestamp kKept = 1'000'000;

std::string nameOf(std::size_t number) { return "m" + std::to_string(number); }

// One request or deletion, and its answer.
struct Change {
  bool isRemoval = false;
  std::vector<std::pair<std::size_t, Timestamp>> samples;  // Series and time.
  double value = 0;
  std::vector<std::size_t> series;
  TimeRange range{0, 0};
  std::future<Status> answer;
};

class Model {
 public:
  explicit Model(std::uint64_t seed) : random_(seed) {
    open();
    std::string body;
    for (std::size_t i = 0; i < kSeries; ++i) {
      body += line(nameOf(i), kKept, 0);
      points_[i][kKept] = 0;
    }
    REQUIRE(database_.ingest(body).ok());
  }

  // Several changes at once, sometimes with a flush, sometimes with a fault.
  void round() {
    if (random_() % 3 == 0) plan();
    std::vector<Change> changes;
    std::vector<std::future<Status>> flushes;
    const std::uint64_t count = 1 + random_() % 12;
    for (std::uint64_t i = 0; i < count; ++i) {
      if (random_() % 6 == 0) flushes.push_back(database_.beginFlush());
      changes.push_back(random_() % 3 == 0 ? removal() : request());
    }
    for (Change& change : changes) {
      if (change.answer.get().ok()) apply(change);
    }
    for (auto& flush : flushes) static_cast<void>(flush.get().ok());
    check();
    if (random_() % 4 == 0 || database_.engine().admit().code() != StatusCode::kOk) restart();
  }
  void restart() {
    // Unsynced changes were never acknowledged.
    const bool isCut = random_() % 2 == 0;
    if (isCut) fs_.failFrom(Operation::kSync, 1);
    database_.close();
    fs_.heal();
    if (isCut) fs_.losePower();
    open();
    check();
  }

 private:
  void open() {
    const Status opened = database_.open();
    if (!opened.ok()) std::printf("    %s\n", opened.message().c_str());
    REQUIRE(opened.ok());
  }
  // Plans a fault, but never of a sync: a failed sync leaves the disk's content unknown.
  void plan() {
    constexpr std::array kOperations = {Operation::kCreate, Operation::kAppend, Operation::kRename,
                                        Operation::kRemove, Operation::kSyncDirectory};
    const Operation operation = kOperations[random_() % kOperations.size()];
    if (operation == Operation::kAppend && random_() % 2 == 0) {
      return fs_.shortenAppendAt(1 + random_() % 6, random_() % 30,
                                 StatusCode::kStorageUnavailable);
    }
    fs_.failAt(operation, 1 + random_() % 6, StatusCode::kStorageUnavailable);
  }
  Change request() {
    Change change;
    change.value = static_cast<double>(++lastValue_);
    std::string body;
    for (std::uint64_t left = 1 + random_() % 30; left > 0; --left) {
      const auto series = static_cast<std::size_t>(random_() % kSeries);
      change.samples.emplace_back(series, static_cast<Timestamp>(random_() % 200));
      body += line(nameOf(series), change.samples.back().second, change.value);
    }
    change.answer = database_.beginIngest(body);
    return change;
  }
  Change removal() {
    Change change;
    change.isRemoval = true;
    const auto start = static_cast<Timestamp>(random_() % 200);
    change.range = {start, start + static_cast<Timestamp>(random_() % 80)};
    if (random_() % 4 == 0) change.range = {INT64_MIN, kKept - 1};
    std::vector<SeriesId> ids;
    for (std::uint64_t left = 1 + random_() % 3; left > 0; --left) {
      const auto series = static_cast<std::size_t>(random_() % kSeries);
      const auto pinned = database_.engine().index();
      const SeriesIndex& index = *pinned;
      change.series.push_back(series);
      ids.push_back(index.idOf(index.findByName(nameOf(series)).value().value()));
    }
    change.answer = database_.beginRemoval(ids, change.range);
    return change;
  }
  void apply(const Change& change) {
    for (const auto& [series, ts] : change.samples) points_[series][ts] = change.value;
    for (const std::size_t series : change.series) {
      Points& all = points_[series];
      all.erase(all.lower_bound(change.range.start), all.upper_bound(change.range.end));
    }
  }
  void check() {
    const auto pinned = database_.engine().index();
    const SeriesIndex& index = *pinned;
    const auto view = database_.engine().pinView(kAllTime);
    REQUIRE(view.ok());
    for (std::size_t i = 0; i < kSeries; ++i) {
      EXPECT(database_.read(nameOf(i)) == points_[i]);
      const SeriesRef ref = index.findByName(nameOf(i)).value().value();
      const auto bounds = index.boundsOf(ref);
      EXPECT(bounds && bounds->start == points_[i].begin()->first && bounds->end == kKept);
      std::vector<Stretch> stretches;
      SeriesChunks chunks;
      SeriesSources sources;
      findChunks(*view.value(), {&ref, 1}, kAllTime, chunks);
      sources.capture(*view.value(), chunks, kAllTime);
      findStretches(sources, stretches);
      for (const auto& [ts, value] : points_[i]) {
        const auto holds = [at = ts](const Stretch& one) { return one.range.contains(at); };
        EXPECT(std::any_of(stretches.begin(), stretches.end(), holds));
      }
    }
  }

  std::mt19937_64 random_;
  FaultyFileSystem fs_{posixFileSystem()};
  Database database_{fs_};
  std::array<Points, kSeries> points_;
  std::uint64_t lastValue_ = 0;
};

}  // namespace

TEST("deletions beside requests and failing flushes act as if done one after another") {
  for (std::uint64_t round = 0; round < 6; ++round) {
    Model model(seed() + round);
    for (int i = 0; i < 60; ++i) model.round();
    model.restart();
  }
}
