// Helpers for tests of history: a database that keeps it, and reads of past states.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/file/read_only_file_system.h"
#include "storage/compactor/hand_time.h"
#include "storage/ledger/ledger_fixture.h"

namespace seriesdb::test {

inline constexpr std::uint64_t kKeepMs = 60'000;

// A database whose commits are a second apart.
struct KeptDatabase {
  explicit KeptDatabase(FileSystem& fs = posixFileSystem()) : database(fs) {
    database.options.historyKeepMs = kKeepMs;
    database.options.time = &time;
  }
  Status open() { return database.open(); }
  std::uint64_t commits() const {
    return static_cast<std::uint64_t>(database.stat("history_commits"));
  }
  // Runs the automatic removal now.
  void look() { REQUIRE(database.compact().ok()); }
  // Lets all history expire.
  void passAll() {
    time.advance(kKeepMs);
    look();
  }

  HandTime time{1'700'000'000'000};
  Database database;
};

inline PastState atTime(std::int64_t timeMs) {
  PastState past;
  past.timeMs = timeMs;
  return past;
}
inline PastState atEdit(std::uint64_t edit) {
  PastState past;
  past.edit = edit;
  return past;
}

// A past state that is read beside the open database, which holds it, or in a closed directory.
class Past {
 public:
  Past() : database_(readOnlyFileSystem()) {}

  Status openBeside(Database& now, const PastState& state) {
    auto held = now.engine().hold(state);
    if (!held.ok()) return held.status();
    database_.options.held = std::move(held).value();
    database_.options.isLockHeld = true;
    return open(now, state);
  }
  Status open(const Database& of, const PastState& state) {
    database_.options.directory = of.options.directory;
    database_.options.isReadOnly = true;
    static_cast<PastState&>(database_.options) = state;
    return database_.open();
  }
  std::string content() { return contentOf(database_); }
  bool isWell() { return database_.engine().degradedReasons().empty(); }
  void close() {
    database_.close();
    database_.options.held.reset();
  }

 private:
  Database database_;
};

inline Result<CollectionReport> collect(Database& database, CollectionRequest request = {}) {
  std::promise<Result<CollectionReport>> answer;
  database.engine().collect(request, [&answer](auto report) { answer.set_value(report); });
  return answer.get_future().get();
}

// The content of that state, or why there is none.
inline std::string contentAt(Database& now, const PastState& state) {
  Past past;
  const Status opened = past.openBeside(now, state);
  if (!opened.ok()) return opened.message();
  EXPECT(past.isWell());
  return past.content();
}

}  // namespace seriesdb::test
