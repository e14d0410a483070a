// Two machines and a bucket whose requests and answers are lost or come late: who owns the database
// changes, processes freeze and wake up, and directories are copied back, lost or left behind.
// Whatever was acknowledged as in the bucket is there at the end, and nothing that was never sent.
#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "shipping/home_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

// The way of one process to the bucket.
class Link final : public ObjectStore {
 public:
  enum class Way : std::uint8_t { kClear, kLossy, kCut };

  Link(std::shared_ptr<HomeStore> to, std::uint64_t seed) : to_(std::move(to)), random_(seed) {}

  StoreAnswer ask(const StoreRequest& request) override {
    const Fate fate = draw();
    StoreAnswer nothing;
    nothing.reason = "lost";
    if (fate == Fate::kRequestLost) return nothing;
    StoreAnswer answer = to_->ask(request);
    return fate == Fate::kAnswerLost ? nothing : answer;
  }
  void set(Way way) {
    const std::lock_guard lock(mutex_);
    way_ = way;
  }

 private:
  enum class Fate : std::uint8_t { kPlain, kRequestLost, kAnswerLost };

  Fate draw() {
    const std::lock_guard lock(mutex_);
    if (way_ == Way::kCut) return Fate::kRequestLost;
    if (way_ == Way::kClear || random_() % 8 != 0) return Fate::kPlain;
    return random_() % 2 == 0 ? Fate::kRequestLost : Fate::kAnswerLost;
  }

  const std::shared_ptr<HomeStore> to_;
  std::mutex mutex_;
  Way way_ = Way::kLossy;
  std::minstd_rand random_;
};

using Place = std::pair<int, Timestamp>;  // Of a sample: its metric and its time.

class Simulation {
 public:
  explicit Simulation(std::uint64_t seed) : random_(seed) {}

  void run(int steps) {
    start(0);
    // Before the first entry the bucket has no database to go on with.
    const auto isBegun = [this] {
      return machines_[0].process->home->database.stat("bucket_entry") > 0;
    };
    EXPECT(Home::within(isBegun));
    for (int step = 0; step < steps; ++step) act();
    for (Machine& one : machines_) leave(one);
    frozen_.clear();
    check();
  }

 private:
  // A process with its directory and its way to the bucket.
  struct Process {
    std::shared_ptr<Link> link;
    std::unique_ptr<Home> home;
  };
  struct Machine {
    std::string directory = temporaryDirectory() + "/machine";
    std::string copy;  // An older one; empty: none.
    std::optional<Process> process;
  };

  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

  Process make(const std::string& directory) {
    Process process;
    process.link = std::make_shared<Link>(store_, random_());
    process.home = std::make_unique<Home>(store_);
    Home& home = *process.home;
    home.bucket.store = process.link;
    home.bucket.ack = AckMode::kBucket;
    home.bucket.waitMs = 150;
    home.bucket.finishMs = 0;
    home.database.options.directory = directory;
    return process;
  }

  void start(std::size_t which) {
    Machine& machine = machines_[which];
    leave(machine);
    Process process = make(machine.directory);
    const Status started = process.home->start();
    // Another machine may have claimed meanwhile, or the answers were lost too often.
    if (started.ok()) machine.process = std::move(process);
    const bool isExpected = started.ok() || started.code() == StatusCode::kLocked ||
                            started.code() == StatusCode::kStorageUnavailable;
    if (!isExpected) fail(__FILE__, __LINE__, started.message());
  }

  // The process ends without a word to the bucket.
  static void leave(Machine& machine) {
    if (!machine.process) return;
    machine.process->link->set(Link::Way::kCut);
    machine.process.reset();
  }

  // The process stands still while its directory goes on in another one, as after a fail-over of a
  // virtual machine; it wakes up later.
  void freeze(Machine& machine) {
    if (!machine.process) return;
    machine.process->link->set(Link::Way::kCut);
    const std::string next = temporaryDirectory() + "/moved";
    files::copy(machine.directory, next, files::copy_options::recursive);
    frozen_.push_back(std::move(*machine.process));
    machine.process.reset();
    machine.directory = next;
  }

  void write(Process& process) {
    const int metric = static_cast<int>(below(3));
    const auto ts = static_cast<Timestamp>(below(40));
    const double value = ++lastValue_;
    const Status told =
        process.home->database.ingest(line("m" + std::to_string(metric), ts, value));
    auto& sent = sent_[{metric, ts}];
    if (told.ok()) {
      sent.clear();
      acked_.insert({metric, ts});
    }
    sent.push_back(value);
    const bool isExpected = told.ok() || told.code() == StatusCode::kBucketUnavailable ||
                            told.code() == StatusCode::kFenced;
    if (!isExpected) fail(__FILE__, __LINE__, told.message());
  }

  // It still owns the database if nobody claimed it meanwhile; otherwise it acknowledges nothing.
  void wake() {
    if (frozen_.empty()) return;
    Process& process = frozen_[below(frozen_.size())];
    process.link->set(Link::Way::kLossy);
    for (int i = 0; i < 3; ++i) write(process);
  }

  void act() {
    Machine& machine = machines_[below(machines_.size())];
    switch (below(24)) {
      case 0:
      case 1:
        return start(below(machines_.size()));
      case 2:
        return freeze(machine);
      case 3:
        return wake();
      case 4:
        leave(machine);
        files::remove_all(machine.directory);
        return;
      case 5:
        leave(machine);
        return keepCopy(machine);
      case 6:
        leave(machine);
        return putBack(machine);
      case 7:
      case 8:
        if (machine.process) static_cast<void>(machine.process->home->database.beginFlush().get());
        return;
      case 9:
        if (machine.process) static_cast<void>(machine.process->home->database.compact().ok());
        return;
      default:
        if (machine.process) write(*machine.process);
    }
  }

  static void keepCopy(Machine& machine) {
    if (!files::exists(machine.directory)) return;
    machine.copy = machine.directory + ".copy";
    files::remove_all(machine.copy);
    files::copy(machine.directory, machine.copy, files::copy_options::recursive);
  }
  static void putBack(Machine& machine) {
    if (machine.copy.empty()) return;
    files::remove_all(machine.directory);
    files::copy(machine.copy, machine.directory, files::copy_options::recursive);
  }

  // From the bucket alone.
  void check() {
    Process last = make(freshPath("last"));
    last.link->set(Link::Way::kClear);
    const Status started = last.home->start();
    if (!started.ok()) fail(__FILE__, __LINE__, started.message());
    if (!started.ok()) return;
    for (const auto& [place, values] : sent_) {
      const auto points = last.home->database.read("m" + std::to_string(place.first));
      const bool isThere = points && points->contains(place.second);
      // Values that were not acknowledged may be there in place of the last acknowledged one.
      const bool isRight =
          isThere && std::ranges::find(values, points->at(place.second)) != values.end();
      EXPECT(isRight || (!isThere && !acked_.contains(place)));
    }
  }
  std::mt19937_64 random_;
  std::shared_ptr<HomeStore> store_ = std::make_shared<HomeStore>();
  std::array<Machine, 2> machines_;
  std::vector<Process> frozen_;
  // The last acknowledged value of each sample, and those that were sent since.
  std::map<Place, std::vector<double>> sent_;
  std::set<Place> acked_;
  double lastValue_ = 0;
};

}  // namespace

LONE_TEST("two machines over one bucket lose nothing that was acknowledged, whatever happens") {
  for (std::uint64_t round = 0; round < rounds(3); ++round) {
    Simulation(seed() + round).run(50);
  }
}
