// Lines per second of one core through IngestParser; one JSON line a case.
// usage: native_ndjson [SECONDS_PER_CASE]
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

#include "index/series_index.h"
#include "ndjson/ingest_parser.h"

namespace {

using namespace seriesdb;

// CPU time of this thread, so that a busy machine does not blur the figures.
double cpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

constexpr std::size_t kBodySize = 32u << 20;
constexpr std::size_t kRequestSize = 2u << 20;
constexpr std::size_t kChunkSize = 64u << 10;  // What the HTTP server hands over at a time.
constexpr std::size_t kCacheBytes = 256u << 20;

struct Body {
  std::string text;
  std::uint64_t lineCount = 0;
};

struct Shape {
  const char* name;
  std::uint32_t seriesCount;
  bool isRandom;
  int fieldCount;     // 0: a single `value`.
  bool isLongDouble;  // Values of 17 digits.
};

// Values are random, as a pattern in their lengths would be learnt by the branch predictor.
void appendLine(std::string& out, const Shape& shape, std::uint32_t series, std::uint64_t round,
                std::mt19937& random) {
  const auto ts = std::to_string(1700000000000ull + round * 1000);
  out += "{\"metric\":\"cpu.usage_user\",\"labels\":{\"hostname\":\"host_" +
         std::to_string(series) + "\",\"region\":\"eu-west-1\"},\"ts\":" + ts;
  const auto value = [&] {
    if (shape.isLongDouble) {
      char digits[40];
      std::snprintf(digits, sizeof digits, "%.17g", static_cast<double>(random()) / 7e7);
      return std::string(digits);
    }
    return std::to_string(random() % 100);
  };
  if (shape.fieldCount == 0) {
    out += ",\"value\":" + value() + "}\n";
    return;
  }
  static const char* const kFields[] = {"user", "system",  "idle",  "nice",  "iowait",
                                        "irq",  "softirq", "steal", "guest", "guest_nice"};
  out += ",\"fields\":{";
  for (int i = 0; i < shape.fieldCount; ++i) {
    if (i > 0) out += ',';
    out += "\"usage_" + std::string(kFields[i]) + "\":" + value();
  }
  out += "}}\n";
}

Body makeBody(const Shape& shape) {
  Body body;
  std::mt19937 random(1);
  while (body.text.size() < kBodySize || body.lineCount < shape.seriesCount * 2) {
    const auto turn = static_cast<std::uint32_t>(body.lineCount % shape.seriesCount);
    const auto series =
        shape.isRandom ? static_cast<std::uint32_t>(random()) % shape.seriesCount : turn;
    appendLine(body.text, shape, series, body.lineCount / shape.seriesCount, random);
    ++body.lineCount;
  }
  return body;
}

StagedSamples parseRequest(ParserState& state, std::string_view text) {
  IngestOptions options;
  options.limits.bodySizeMax = SIZE_MAX / 2;
  const auto parser = IngestParser::make(state, options);
  while (!text.empty()) {
    const auto status = parser->write(asBytes(text.substr(0, kChunkSize)));
    CHECK(status.ok());
    text.remove_prefix(std::min(text.size(), kChunkSize));
  }
  CHECK(parser->finish().ok());
  return parser->take();
}

// Cuts the body into requests at line ends; returns the count of samples.
std::uint64_t parseAll(ParserState& state, std::string_view text) {
  std::uint64_t samples = 0;
  while (!text.empty()) {
    const auto size = text.find('\n', std::min(text.size(), kRequestSize) - 1) + 1;
    samples += parseRequest(state, text.substr(0, size)).refs.size();
    text.remove_prefix(size);
  }
  return samples;
}

void run(const Shape& shape, std::size_t cacheBytes, double seconds) {
  const auto body = makeBody(shape);
  const IndexHolder indexes(SeriesIndex::make({}));
  const auto state = ParserState::make(indexes, cacheBytes);
  const auto index = indexes.writable();
  for (const auto& series : parseRequest(*state, body.text).pendingSeries) {
    CHECK(index->findOrCreate(series.name, viewsOf(series.labels)).ok());
  }
  parseAll(*state, body.text);  // Teaches the cache.
  std::uint64_t lines = 0;
  std::uint64_t samples = 0;
  const double start = cpuSeconds();
  double elapsed = 0;
  while (elapsed < seconds) {
    samples += parseAll(*state, body.text);
    lines += body.lineCount;
    elapsed = cpuSeconds() - start;
  }
  std::printf(
      "{\"bench\":\"ndjson\",\"case\":\"%s\",\"series\":%u,\"order\":\"%s\",\"cache\":%s,"
      "\"million_lines_per_s\":%.2f,\"million_samples_per_s\":%.2f,\"gb_per_s\":%.2f}\n",
      shape.name, shape.seriesCount, shape.isRandom ? "random" : "cycling",
      cacheBytes > 0 ? "true" : "false", static_cast<double>(lines) / elapsed / 1e6,
      static_cast<double>(samples) / elapsed / 1e6,
      static_cast<double>(lines) / static_cast<double>(body.lineCount) *
          static_cast<double>(body.text.size()) / elapsed / 1e9);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 1;
  if (argc > 2) {
    run({"ten fields", 1'000, false, 10, false}, kCacheBytes, seconds);
    return 0;
  }
  for (const std::uint32_t count : {1000u, 10'000u, 100'000u}) {
    run({"value", count, false, 0, false}, kCacheBytes, seconds);
    run({"value", count, true, 0, false}, kCacheBytes, seconds);
    run({"ten fields", count / 10, false, 10, false}, kCacheBytes, seconds);
  }
  run({"value of 17 digits", 1000, false, 0, true}, kCacheBytes, seconds);
  run({"value", 1000, false, 0, false}, 0, seconds);
  run({"ten fields", 1000, false, 10, false}, 0, seconds);
}
