// Helpers for tests that follow a compaction or a migration.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "maintenance/task_reader.h"
#include "storage/ledger/ledger_fixture.h"

namespace seriesdb::test {

inline std::unique_ptr<JsonReader> compaction(Database& database) {
  const TaskReader::Begin<CompactionReport> begin = [&database](auto done, auto watch) {
    database.engine().compact(std::move(done), std::move(watch));
  };
  return std::make_unique<TaskReader>(begin);
}

inline std::unique_ptr<JsonReader> migration(Database& database) {
  const TaskReader::Begin<MigrationReport> begin = [&database](auto done, auto watch) {
    database.engine().migrate(std::move(done), std::move(watch));
  };
  return std::make_unique<TaskReader>(begin);
}

}  // namespace seriesdb::test
