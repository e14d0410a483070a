// Helpers for tests of power cuts and full disks: a sequence of requests, and the content that must
// exist after any number of acknowledged ones.
//
//   cut(Work{.name = "flush", .prepare = …, .steps = {…}}, 2);
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "storage/ledger/history_fixture.h"

namespace seriesdb::test {

// A database on a disk that may lose power.
struct Course {
  Course(const std::string& directory, std::int64_t wallMs)
      : trash(temporaryDirectory()), time(wallMs), database(fs) {
    fs.simulatePower(trash);
    database.options.directory = directory;
    database.options.time = &time;
  }
  ~Course() {
    database.close();
    std::filesystem::remove_all(trash);
  }

  const std::string trash;
  FaultyFileSystem fs{posixFileSystem()};
  HandTime time;
  Database database;
};

struct Work {
  const char* name;
  std::function<void(EngineOptions&)> configure = [](EngineOptions&) {};
  // Makes the initial state; may leave the database open.
  std::function<void(Course&)> prepare;
  // Runs after a start, before any fault.
  std::function<void(Course&)> begin = [](Course&) {};
  // The requests, in order. Each returns whether it was acknowledged.
  std::vector<std::function<bool(Course&)>> steps;
  // Called after all steps. True if they did the work under test.
  std::function<bool(Database&)> isReached = [](Database&) { return true; };
  // Called after a restart, with the number of acknowledged steps.
  std::function<void(Database&, std::size_t)> check = [](Database&, std::size_t) {};
  bool opensItself = false;  // The first step opens the database.
  bool mayForget = false;    // Acknowledged steps may be lost, the latest first.
  bool keepsFiles = false;   // Snapshots keep files of segments that the head does not name.
};

enum class Fault : std::uint8_t { kBytesLost, kAllLost, kSomeLost, kFull, kPartlyFull, kShort };

// Runs one work under each fault at each change of the disk, in each mode; or every `stride`th of
// these, from a place that the seed determines, so that several runs cover all.
class Cuts {
 public:
  Cuts(Work work, std::size_t stride) : work_(std::move(work)), stride_(stride * kStride) {}

  void run() {
    prepare();
    for (const MetadataReadMode mode : kReadModes) runWhole(mode);
    for (std::size_t at = seed() % stride_; at < cases_.size(); at += stride_) {
      runCase(cases_[at], kReadModes[(at / stride_ + seed()) % kReadModes.size()]);
    }
    std::filesystem::remove_all(prepared_);
    std::filesystem::remove_all(directory_);
  }

 private:
  struct Case {
    MetadataReadMode mode;
    Fault fault;
    std::uint64_t nth;
  };

  static constexpr std::int64_t kBegin = std::int64_t{20'000} * 86'400'000;  // The start of a slot.

  void prepare() {
    Course course(prepared_, kBegin);
    work_.configure(course.database.options);
    work_.prepare(course);
    course.database.close();
    wallMs_ = course.time.wallMs();
  }

  void putPrepared() const {
    std::filesystem::remove_all(directory_);
    if (!std::filesystem::exists(prepared_)) return;
    std::filesystem::copy(prepared_, directory_, std::filesystem::copy_options::recursive);
  }

  bool begin(Course& course, MetadataReadMode mode) const {
    work_.configure(course.database.options);
    course.database.options.metadataReadMode = mode;
    if (work_.opensItself) return true;
    const bool isOpen = course.database.open().ok();
    if (isOpen) work_.begin(course);
    return isOpen;
  }

  // Runs without a fault, to learn the number of changes and the content after each step.
  void runWhole(MetadataReadMode mode) {
    putPrepared();
    Course course(directory_, wallMs_);
    REQUIRE(begin(course, mode));
    std::vector<std::string> states;
    const auto note = [&] {
      states.push_back(work_.opensItself && states.empty() ? "" : contentOf(course.database));
    };
    note();
    const std::uint64_t changes = course.fs.changes();
    const std::uint64_t appends = course.fs.count(Operation::kAppend);
    for (const auto& step : work_.steps) {
      if (!step(course)) fail(__FILE__, __LINE__, std::string(work_.name) + ": a step fails");
      note();
    }
    if (work_.opensItself) states.front() = states[1];
    if (!work_.isReached(course.database)) fail(__FILE__, __LINE__, work_.name);
    EXPECT(states_.empty() || states_ == states);
    states_ = std::move(states);
    addCases(mode, course.fs.changes() - changes, course.fs.count(Operation::kAppend) - appends);
  }

  void addCases(MetadataReadMode mode, std::uint64_t changes, std::uint64_t appends) {
    for (const Fault fault : {Fault::kBytesLost, Fault::kAllLost, Fault::kSomeLost, Fault::kFull,
                              Fault::kPartlyFull, Fault::kShort}) {
      const std::uint64_t last = isCut(fault) ? changes : appends;
      for (std::uint64_t nth = 1; nth <= last; ++nth) cases_.push_back({mode, fault, nth});
    }
  }

  static bool isCut(Fault fault) { return fault <= Fault::kSomeLost; }

  static void arm(FaultyFileSystem& fs, const Case& one) {
    if (isCut(one.fault)) return fs.cutPowerAt(one.nth);
    if (one.fault == Fault::kFull) {
      return fs.failFrom(Operation::kAppend, one.nth, StatusCode::kStorageUnavailable);
    }
    const bool isFull = one.fault == Fault::kPartlyFull;
    fs.shortenAppendAt(one.nth, 3 + one.nth % 40,
                       isFull ? StatusCode::kStorageUnavailable : StatusCode::kIo);
  }

  void runCase(const Case& one, MetadataReadMode next) {
    putPrepared();
    std::size_t done = 0;
    std::int64_t wallMs = 0;
    {
      Course course(directory_, wallMs_);
      REQUIRE(begin(course, one.mode));
      arm(course.fs, one);
      while (done < work_.steps.size() && work_.steps[done](course)) ++done;
      if (!isCut(one.fault) && !work_.opensItself) goOn(course, one, done);
      course.database.close();
      course.fs.heal();
      if (isCut(one.fault)) {
        course.fs.losePower(static_cast<PowerLoss>(one.fault), seed() + one.nth);
      }
      wallMs = course.time.wallMs();
    }
    Course after(directory_, wallMs);
    checkAfter(after, one, next, done);
  }

  // The disk has room again, or refused a single write.
  void goOn(Course& course, const Case& one, std::size_t done) {
    expectOneOf(contentOf(course.database), one, done);
    course.fs.heal();
    if (one.fault == Fault::kShort) return;
    expect(course.database.flush().ok() && course.database.compact().ok(), one, "goes on");
  }

  void checkAfter(Course& after, const Case& one, MetadataReadMode next, std::size_t done) {
    Database& database = after.database;
    work_.configure(database.options);
    database.options.metadataReadMode = next;
    const Status opened = database.open();
    expect(opened.ok(), one, opened.message());
    if (!opened.ok()) return;
    expectWell(database, one);
    expectOneOf(contentOf(database), one, done, !isCut(one.fault));
    work_.check(database, done);
    expect(database.flush().ok() && database.compact().ok(), one, "flush and compaction");
    expect(collect(database, {false, true}).ok(), one, "gc");
    const std::string content = contentOf(database);
    expectOneOf(content, one, done, true);
    if (!work_.keepsFiles) {
      const auto count = static_cast<double>(database.segmentPaths().size());
      expect(count == database.stat("segments"), one, "files that nothing names");
    }
    database.close();
    for (const MetadataReadMode mode : kReadModes) {
      database.options.metadataReadMode = mode;
      const Status again = database.open();
      expect(again.ok(), one, again.message());
      if (!again.ok()) return;
      expectWell(database, one);
      expect(contentOf(database) == content, one, "the read modes agree");
      expect(database.stat("cas_shadow_mismatch_total") == 0, one, "no mismatch");
    }
  }

  void expectWell(Database& database, const Case& one) {
    for (const std::string& reason : database.engine().degradedReasons()) {
      expect(false, one, reason);
    }
  }

  // Expects the acknowledged content, with or without the step in progress. Later, compactions
  // count as steps too.
  void expectOneOf(const std::string& content, const Case& one, std::size_t done,
                   bool isLater = false) {
    const std::size_t end = isLater ? states_.size() : std::min(done + 2, states_.size());
    bool isFound = false;
    for (std::size_t i = work_.mayForget ? 0 : done; i < end; ++i) {
      isFound = isFound || states_[i] == content;
    }
    expect(isFound, one, "content after " + std::to_string(done) + " steps:\n" + content);
  }

  void expect(bool isTrue, const Case& one, const std::string& what) {
    if (isTrue) return;
    fail(__FILE__, __LINE__,
         std::string(work_.name) + ", mode " + std::to_string(static_cast<int>(one.mode)) +
             ", fault " + std::to_string(static_cast<int>(one.fault)) + " at " +
             std::to_string(one.nth) + ": " + what);
  }

  const Work work_;
  const std::size_t stride_;
  const std::string prepared_ = temporaryDirectory() + "/data";
  const std::string directory_ = temporaryDirectory() + "/data";
  std::int64_t wallMs_ = 0;
  std::vector<std::string> states_;  // The content before, and after each step.
  std::vector<Case> cases_;
};

inline void cut(Work work, std::size_t stride) { Cuts(std::move(work), stride).run(); }

}  // namespace seriesdb::test
