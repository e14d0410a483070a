// Helpers for tests of the engine: a database that is opened, fed with lines, read back and
// reopened.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/types/stale_marker.h"
#include "faulty_file_system.h"
#include "format/log/log_frame.h"
#include "format/log/wal_reader.h"
#include "harness.h"
#include "index/index_holder.h"
#include "ingest/ndjson/ndjson_parser.h"
#include "query/answers/answers.h"
#include "storage/compactor/compactor.h"
#include "storage/engine/engine.h"
#include "storage/engine/files_now.h"
#include "storage/state/health.h"
#include "storage/state/task_pool.h"
#include "storage/view/selector.h"
#include "storage/write/committer.h"
#include "storage/write/remover.h"

namespace seriesdb::test {

using Points = std::map<Timestamp, double>;
inline constexpr TimeRange kAllTime{INT64_MIN, INT64_MAX};
// Text has no stale marker: this value is stored as one.
inline constexpr double kAsStale = 4.5e300;
// Text has no values that are null in SeriesQL either: NaN, of either sign, and the infinities.
struct AsNull {
  double written;
  double stored;
};
inline constexpr std::array kAsNull = {AsNull{4.6e300, std::numeric_limits<double>::quiet_NaN()},
                                       AsNull{4.7e300, -std::numeric_limits<double>::quiet_NaN()},
                                       AsNull{4.8e300, std::numeric_limits<double>::infinity()},
                                       AsNull{4.9e300, -std::numeric_limits<double>::infinity()}};
// The operations that change the disk, and the one that reads it.
inline constexpr std::array kOperations = {
    Operation::kCreate,        Operation::kOpenAppend, Operation::kAppend, Operation::kSync,
    Operation::kTruncate,      Operation::kRename,     Operation::kLink,   Operation::kRemove,
    Operation::kSyncDirectory, Operation::kOpenRead};

inline std::string line(std::string_view metric, Timestamp ts, double value) {
  char number[40];
  std::snprintf(number, sizeof number, "%.17g", value);
  return "{\"metric\":\"" + std::string(metric) + "\",\"ts\":" + std::to_string(ts) +
         ",\"value\":" + number + "}\n";
}

// Samples of a metric from time 0 on; each value equals its time.
inline std::string lines(std::string_view metric, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += line(metric, i, i);
  return text;
}

// The samples of a range answer; nothing if they are not strictly ascending.
inline std::optional<Points> parsePoints(const std::string& json) {
  Points points;
  std::size_t at = 0;
  while ((at = json.find("{\"ts\":", at)) != std::string::npos) {
    char* end = nullptr;
    const Timestamp ts = std::strtoll(json.c_str() + at + 6, &end, 10);
    if (!points.empty() && ts <= points.rbegin()->first) return std::nullopt;
    points[ts] = std::strtod(end + 9, nullptr);  // After `,"value":`.
    at += 6;
  }
  return points;
}

class Database {
 public:
  explicit Database(FileSystem& fs = posixFileSystem()) : fs_(fs) {
    options.directory = temporaryDirectory() + "/data";
    options.flushIntervalMs = 0;
    options.isCompacting = false;
    options.historyKeepMs = 0;
  }

  Status open() {
    close();
    auto opened = Engine::open(fs_, options);
    if (!opened.ok()) return opened.status();
    take(std::move(opened).value());
    return {};
  }
  // Takes an engine that was opened otherwise.
  void take(std::unique_ptr<Engine> opened) {
    close();
    engine_ = std::move(opened);
    parser_ = ParserState::make(engine_->indexes(), std::size_t{1} << 20);
  }
  bool isOpen() const { return engine_ != nullptr; }
  void close() { static_cast<void>(tryClose().ok()); }
  // Returns the result of the close; the engine is gone in any case.
  Status tryClose() {
    const Status closed = engine_ ? engine_->close() : Status::okStatus();
    parser_.reset();
    engine_.reset();
    return closed;
  }
  Engine& engine() { return *engine_; }
  // The current index.
  std::shared_ptr<const SeriesIndex> index() {
    const PinnedIndex now = engine_->index();
    return now.shared();
  }

  // Parses and commits as one request, and waits for the answer.
  Status ingest(std::string_view text, bool isLenient = false) {
    return beginIngest(text, isLenient).get();
  }
  // Deletes and waits for the answer.
  Status remove(std::vector<SeriesId> series, TimeRange range) {
    return beginRemoval(std::move(series), range).get();
  }
  Status flush() { return beginFlush().get(); }
  // Does all outstanding compaction, and waits.
  Result<CompactionReport> compact() {
    std::promise<Result<CompactionReport>> answer;
    engine_->compact([&answer](auto report) { answer.set_value(std::move(report)); });
    return answer.get_future().get();
  }

  // Does only due compaction, and waits.
  Result<CompactionReport> compactDue() {
    std::promise<Result<CompactionReport>> answer;
    engine_->compactDue([&answer](auto report) { answer.set_value(std::move(report)); });
    return answer.get_future().get();
  }

  // Like ingest() without waiting. Requests run in the order of the calls.
  std::future<Status> beginIngest(std::string_view text, bool isLenient = false) {
    const auto answer = std::make_shared<std::promise<Status>>();
    IngestOptions options;
    options.isLenient = isLenient;
    const auto parser = makeNdjsonParser(*parser_, options);
    Status parsed = parser->write(asBytes(text));
    if (parsed.ok()) parsed = parser->finish();
    if (!parsed.ok()) {
      answer->set_value(parsed);
      return answer->get_future();
    }
    StagedSamples staged = parser->take();
    std::ranges::replace(staged.values, kAsStale, std::bit_cast<double>(kStaleBits));
    for (const AsNull& one : kAsNull) std::ranges::replace(staged.values, one.written, one.stored);
    engine_->commit(std::move(staged), 0, [answer](Result<IngestReport> report) {
      answer->set_value(report.ok() ? Status{} : report.status());
    });
    return answer->get_future();
  }
  std::future<Status> beginRemoval(std::vector<SeriesId> series, TimeRange range) {
    const auto answer = std::make_shared<std::promise<Status>>();
    engine_->remove(Removal::ofIds(std::move(series), range),
                    [answer](const auto& removed) { answer->set_value(removed.status()); });
    return answer->get_future();
  }
  // Waits, and returns the number of affected series.
  Result<std::uint64_t> remove(Removal removal) {
    std::promise<Result<std::uint64_t>> answer;
    engine_->remove(std::move(removal),
                    [&answer](auto removed) { answer.set_value(std::move(removed)); });
    return answer.get_future().get();
  }
  std::future<Status> beginFlush() {
    const auto answer = std::make_shared<std::promise<Status>>();
    engine_->flush([answer](const Status& status) { answer->set_value(status); });
    return answer->get_future();
  }

  // The whole answer as text.
  Result<std::string> readText(std::string_view metric, TimeRange range = kAllTime) {
    Selector selector;
    selector.name = metric;
    auto reader = openRange(*engine_, selector, range);
    if (!reader.ok()) return reader.status();
    std::string text;
    std::string piece;
    do {
      const Status read = reader.value()->next(piece);
      if (!read.ok()) return read;
      text += piece;
    } while (!piece.empty());
    return text;
  }
  // Nothing if the read fails or its answer is not ascending.
  std::optional<Points> read(std::string_view metric, TimeRange range = kAllTime) {
    const auto text = readText(metric, range);
    return text.ok() ? parsePoints(text.value()) : std::nullopt;
  }
  double stat(std::string_view name) const {
    for (const auto& [key, value] : engine_->stats()) {
      if (key == name) return value;
    }
    return -1;
  }

  std::string path(std::string_view name) const {
    return options.directory + "/" + std::string(name);
  }
  // The path of the segment with that number; empty if there is none.
  std::string segmentPath(std::uint64_t number) const {
    for (const std::string& path : segmentPaths()) {
      const ByteBuffer bytes = posixFileSystem().readAll(path).value();
      if (bytes.size() > 20 && loadLe<std::uint64_t>(&bytes[12]) == number) return path;
    }
    return {};
  }
  // The paths of all files named by their hash.
  std::vector<std::string> segmentPaths() const {
    std::vector<std::string> paths;
    const auto folders = posixFileSystem().list(path("objects"));
    if (!folders.ok()) return paths;
    for (const std::string& folder : folders.value()) {
      if (folder == "tmp") continue;
      for (const std::string& name : files("objects/" + folder)) {
        paths.push_back(path("objects/" + folder + "/" + name));
      }
    }
    return paths;
  }
  // Names of the files in one of the directory's folders, sorted.
  std::vector<std::string> files(std::string_view folder) const {
    return posixFileSystem().list(path(folder)).value();
  }

  EngineOptions options;

 private:
  FileSystem& fs_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<ParserState> parser_;  // Goes before the engine, whose index it uses.
};

// The hash in the path of an object's file.
inline std::string hashIn(const std::string& path) {
  const std::size_t name = path.rfind('/');
  return path.substr(name - 2, 2) + path.substr(name + 1);
}

inline ByteBuffer contentOf(const std::string& path) {
  return posixFileSystem().readAll(path).value();
}
inline void overwrite(const std::string& path, Bytes bytes) {
  CHECK(posixFileSystem().remove(path).ok());
  auto file = posixFileSystem().create(path);
  CHECK(file.ok() && file.value()->append(bytes).ok());
}

// The start offset of each log record, and the end of the last one.
inline std::vector<std::size_t> recordBounds(Bytes log) {
  std::vector<std::size_t> bounds{log_frame::kHeaderSize};
  while (bounds.back() < log.size()) {
    const auto size = log_frame::plausibleSize(log, bounds.back());
    if (!size) break;
    bounds.push_back(bounds.back() + *size);
  }
  return bounds;
}

// Removes the marks at the end of a log file, as they are absent while its process runs. Returns
// the remaining bytes.
inline ByteBuffer reopenLog(const std::string& path) {
  ByteBuffer bytes = contentOf(path);
  std::vector<std::size_t> bounds = recordBounds(bytes);
  CHECK(bounds.size() > 1 && bounds.back() == bytes.size());
  while (bounds.size() > 2) {
    const auto last = log_frame::recordAt(bytes, bounds[bounds.size() - 2]);
    CHECK(last.has_value());
    if (!isMark(last->type)) break;
    bounds.pop_back();
    bytes.resize(bounds.back());
  }
  overwrite(path, bytes);
  return bytes;
}

}  // namespace seriesdb::test
