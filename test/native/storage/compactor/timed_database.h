// A database with retention rules, whose time the test moves.
#pragma once

#include <algorithm>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/manifest/manifest.h"
#include "hand_time.h"
#include "storage/engine/engine_fixture.h"

namespace seriesdb::test {

inline constexpr Timestamp kHourMs = 3'600'000;
inline constexpr Timestamp kDayMs = 24 * kHourMs;
inline constexpr Timestamp kBegin = 20'000 * kDayMs;
inline constexpr Timestamp kYearMs = 365 * kDayMs;

inline std::shared_ptr<const RetentionRules> keep(std::vector<RetentionRule> rules) {
  return std::make_shared<const RetentionRules>(std::move(rules));
}

// A database whose time the test moves; due work runs on request.
struct TimedDatabase {
  explicit TimedDatabase(FileSystem& fs = posixFileSystem()) : database(fs) {
    database.options.time = &time;
  }
  void setRules(std::vector<RetentionRule> rules) {
    database.options.retention = keep(std::move(rules));
    if (isOpen) database.engine().configure(database.options);
  }
  Status open() {
    const Status opened = database.open();
    isOpen = opened.ok();
    return opened;
  }
  Result<CompactionReport> compactDue() { return database.compactDue(); }
  // A sample of the metric at this moment, as clients with a right clock send it.
  Status live(std::string_view metric) { return database.ingest(line(metric, time.wallMs(), 1)); }
  bool isFound(std::string_view metric) {
    const auto ref = database.index()->findByName(metric);
    return ref.ok() && ref.value().has_value();
  }
  std::size_t fileCount() const { return database.segmentPaths().size(); }
  bool isTold(std::string_view part) {
    const auto reasons = database.engine().degradedReasons();
    return std::ranges::any_of(reasons, [part](const std::string& reason) {
      return reason.find(part) != std::string::npos;
    });
  }
  ManifestState manifest() {
    return readManifest(posixFileSystem(), database.options.directory).value().state;
  }
  Timestamp clock() const {
    return static_cast<Timestamp>(database.stat("retention_clock_seconds") * 1000);
  }

  HandTime time{kBegin};
  Database database;
  bool isOpen = false;
};

// Old and live samples of four metrics, all in segments.
inline void fillOld(TimedDatabase& timed, int oldDays) {
  Database& database = timed.database;
  REQUIRE(timed.open().ok());
  for (int day = 0; day < oldDays; ++day) {
    const Timestamp ts = kBegin - 100 * kDayMs + day * kDayMs;
    for (const auto* metric : {"cpu.old", "cpu.both", "mem.old", "mem.both"}) {
      REQUIRE(database.ingest(line(metric, ts, day)).ok());
    }
  }
  REQUIRE(timed.live("cpu.both").ok() && timed.live("mem.both").ok());
  REQUIRE(database.flush().ok());
}

}  // namespace seriesdb::test
