// Dashboard queries for one host, read from a segment: from the request at the addon's boundary to
// the rows as text.
#pragma once

#include <filesystem>
#include <future>
#include <memory>
#include <random>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/file/file_system.h"
#include "ingest/ndjson/ndjson_parser.h"
#include "query/query_reader.h"
#include "query/query_request.h"
#include "query/query_runs.h"
#include "storage/engine/engine.h"
#include "storage/state/engine_options.h"
#include "storage/write/write_values.h"

namespace seriesdb::bench {

// Rows as JSON arrays of these columns.
inline TextPlan textPlanOf(const std::vector<std::uint32_t>& places) {
  TextPlan plan;
  for (const std::uint32_t place : places) {
    TextColumn column;
    column.place = place;
    column.before = plan.columns.empty() ? "[" : ",";
    plan.columns.push_back(std::move(column));
  }
  plan.rowEnd = "]";
  plan.between = ",";
  return plan;
}

class SmallQueries {
 public:
  SmallQueries() {
    CHECK(mkdtemp(folder_.data()) != nullptr);
    EngineOptions options;
    options.directory = folder_ + "/data";
    options.isCompacting = false;
    options.flushIntervalMs = 0;
    options.fsync = FsyncPolicy::kNone;
    auto opened = Engine::open(posixFileSystem(), options);
    CHECK(opened.ok());
    engine_ = std::move(opened).value();
    fill();
  }
  ~SmallQueries() {
    CHECK(engine_->close().ok());
    engine_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  // Queries a random host and a random hour.
  void askOne() {
    auto reader = QueryReader::make(*engine_, request());
    CHECK(reader.ok() && reader.value()->isShort());
    QueryBatch batch;
    CHECK(reader.value()->next(batch).ok());
    CHECK(batch.texts.rowCount >= 60 && batch.texts.isLast);
  }

 private:
  static constexpr int kHosts = 20;
  static constexpr int kSteps = 720;
  static constexpr Timestamp kStep = 10'000;
  static constexpr Timestamp kHour = 3'600'000;
  static constexpr Timestamp kStart = 1'700'000'000'000;

  void fill() {
    const auto state = ParserState::make(engine_->indexes(), std::size_t{1} << 20);
    const auto parser = makeNdjsonParser(*state, {});
    CHECK(parser->write(asBytes(lines())).ok() && parser->finish().ok());
    std::promise<bool> stored;
    engine_->commit(parser->take(), 0, [&](const auto& done) { stored.set_value(done.ok()); });
    CHECK(stored.get_future().get());
    std::promise<bool> flushed;
    engine_->flush([&](const Status& status) { flushed.set_value(status.ok()); });
    CHECK(flushed.get_future().get());
  }

  std::string lines() {
    std::string text;
    for (int step = 0; step < kSteps; ++step) {
      for (int host = 0; host < kHosts; ++host) {
        text += R"({"metric":"cpu","labels":{"host":"host_)" + std::to_string(host) +
                R"(","region":"eu-west-1"},"ts":)" + std::to_string(kStart + step * kStep) +
                R"(,"fields":{"usage_user":)" + std::to_string(random_() % 100) +
                R"(,"usage_system":)" + std::to_string(random_() % 100) + "}}\n";
      }
    }
    return text;
  }

  QueryRequest request() {
    QueryRequest request;
    request.answer = QueryAnswer::kGroups;
    SeriesFilter filter;
    filter.name = NameFilter::exact("cpu.usage_user");
    const std::string host = "host_" + std::to_string(random_() % kHosts);
    filter.terms.push_back({"host", {host}});
    request.series = std::move(filter);
    const Timestamp start = kStart + static_cast<Timestamp>(random_() % kHour);
    request.plan.read.ranges = {{start, start + kHour - 1}};
    request.plan.bucket = {60'000, 0};
    request.plan.keys = {{KeyKind::kBucket, ""}};
    request.plan.aggregates = {{AggregateKind::kMax}};
    request.text = textPlanOf({0, 1});
    return request;
  }

  std::string folder_ = (std::filesystem::temp_directory_path() / "seriesdb-XXXXXX").string();
  std::unique_ptr<Engine> engine_;
  std::mt19937 random_{1};
};

}  // namespace seriesdb::bench
