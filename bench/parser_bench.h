// Common parts of the parser benchmarks. Bodies are cut into requests as clients send them. The
// parser knows their series already. Prints one JSON line per case.
#pragma once

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <string_view>

#include "common/base/check.h"
#include "index/index_holder.h"
#include "index/series_index.h"
#include "ingest/ingest_parser.h"

namespace seriesdb::bench {

// CPU time of this thread, which other load on the machine hardly affects.
inline double cpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

inline constexpr std::size_t kBodySize = 32u << 20;
inline constexpr std::size_t kRequestSize = 2u << 20;
inline constexpr std::size_t kChunkSize = 64u << 10;  // The piece size of the HTTP server.
inline constexpr std::size_t kCacheBytes = 256u << 20;

struct Body {
  std::string text;
  std::uint64_t lineCount = 0;
};

struct Shape {
  const char* name;
  std::uint32_t seriesCount;
  bool isRandom;
  int fieldCount;     // 0 means a single `value`.
  bool isLongDouble;  // True for values of 17 digits.
};

// Appends the line of a series in one round of all series.
using AppendLine = void (*)(std::string& out, const Shape& shape, std::uint32_t series,
                            std::uint64_t round, std::mt19937& random);
using MakeParser = std::unique_ptr<IngestParser> (*)(ParserState&, const IngestOptions&);

struct Format {
  const char* name;
  const char* before;  // The prefix of a case's name.
  AppendLine appendLine;
  MakeParser makeParser;
};

// Values are random, since the branch predictor would learn a pattern in their lengths.
inline std::string randomValue(const Shape& shape, std::mt19937& random) {
  if (!shape.isLongDouble) return std::to_string(random() % 100);
  char digits[40];
  std::snprintf(digits, sizeof digits, "%.17g", static_cast<double>(random()) / 7e7);
  return digits;
}

inline constexpr const char* kFields[] = {"user", "system",  "idle",  "nice",  "iowait",
                                          "irq",  "softirq", "steal", "guest", "guest_nice"};

inline Body makeBody(const Format& format, const Shape& shape) {
  Body body;
  std::mt19937 random(1);
  while (body.text.size() < kBodySize || body.lineCount < shape.seriesCount * 2) {
    const auto turn = static_cast<std::uint32_t>(body.lineCount % shape.seriesCount);
    const auto series =
        shape.isRandom ? static_cast<std::uint32_t>(random()) % shape.seriesCount : turn;
    format.appendLine(body.text, shape, series, body.lineCount / shape.seriesCount, random);
    ++body.lineCount;
  }
  return body;
}

inline StagedSamples parseRequest(ParserState& state, MakeParser make, std::string_view text) {
  IngestOptions options;
  options.limits.bodySizeMax = SIZE_MAX / 2;
  const auto parser = make(state, options);
  while (!text.empty()) {
    const auto status = parser->write(asBytes(text.substr(0, kChunkSize)));
    CHECK(status.ok());
    text.remove_prefix(std::min(text.size(), kChunkSize));
  }
  CHECK(parser->finish().ok());
  return parser->take();
}

// Cuts the body into requests at line ends. Returns the number of samples.
inline std::uint64_t parseAll(ParserState& state, MakeParser make, std::string_view text) {
  std::uint64_t samples = 0;
  while (!text.empty()) {
    const auto size = text.find('\n', std::min(text.size(), kRequestSize) - 1) + 1;
    samples += parseRequest(state, make, text.substr(0, size)).refs.size();
    text.remove_prefix(size);
  }
  return samples;
}

inline void run(const Format& format, const Shape& shape, std::size_t cacheBytes, double seconds) {
  const auto body = makeBody(format, shape);
  const IndexHolder indexes(SeriesIndex::make({}));
  const auto state = ParserState::make(indexes, cacheBytes);
  const auto index = indexes.writable();
  for (const auto& series : parseRequest(*state, format.makeParser, body.text).pendingSeries) {
    CHECK(index->findOrCreate(series.name, viewsOf(series.labels)).ok());
  }
  parseAll(*state, format.makeParser, body.text);  // Fills the cache.
  std::uint64_t lines = 0;
  std::uint64_t samples = 0;
  const double start = cpuSeconds();
  double elapsed = 0;
  while (elapsed < seconds) {
    samples += parseAll(*state, format.makeParser, body.text);
    lines += body.lineCount;
    elapsed = cpuSeconds() - start;
  }
  std::printf(
      "{\"bench\":\"%s\",\"case\":\"%s%s\",\"series\":%u,\"order\":\"%s\",\"cache\":%s,"
      "\"million_lines_per_s\":%.2f,\"million_samples_per_s\":%.2f,\"gb_per_s\":%.2f}\n",
      format.name, format.before, shape.name, shape.seriesCount,
      shape.isRandom ? "random" : "cycling",
      cacheBytes > 0 ? "true" : "false", static_cast<double>(lines) / elapsed / 1e6,
      static_cast<double>(samples) / elapsed / 1e6,
      static_cast<double>(lines) / static_cast<double>(body.lineCount) *
          static_cast<double>(body.text.size()) / elapsed / 1e9);
  std::fflush(stdout);
}

// Runs all cases, or with more than one argument a single one, for a profiler.
inline int runAll(const Format& format, int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 1;
  if (argc > 2) {
    run(format, {"ten fields", 1'000, false, 10, false}, kCacheBytes, seconds);
    return 0;
  }
  for (const std::uint32_t count : {1000u, 10'000u, 100'000u}) {
    run(format, {"value", count, false, 0, false}, kCacheBytes, seconds);
    run(format, {"value", count, true, 0, false}, kCacheBytes, seconds);
    run(format, {"ten fields", count / 10, false, 10, false}, kCacheBytes, seconds);
  }
  run(format, {"value of 17 digits", 1000, false, 0, true}, kCacheBytes, seconds);
  run(format, {"value", 1000, false, 0, false}, 0, seconds);
  run(format, {"ten fields", 1000, false, 10, false}, 0, seconds);
  return 0;
}

}  // namespace seriesdb::bench
