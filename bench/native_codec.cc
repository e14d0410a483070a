// Measures chunk encoding and decoding on one core. Prints one JSON line per kind of row.
// usage: native_codec [SAMPLES_PER_CHUNK]
//   g++ -std=c++20 -O3 -Inative -Itest/native/format/codec bench/native_codec.cc
//       native/format/codec/*.cc native/common/base/{check,checksum,status}.cc -o native_codec
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "format/codec/chunk.h"
#include "format/codec/kernels.h"
#include "series.h"

namespace {

using namespace seriesdb;

constexpr std::size_t kChunks = 64;
constexpr int kRounds = 21;

struct Row {
  std::vector<Timestamp> ts;
  std::vector<double> values;
};

struct Kind {
  const char* name;
  test::MakeValue (*start)();
  unsigned clock;
};

struct Choice {
  const char* name;
  CodecChoice codecs;
};
constexpr Choice kChoices[] = {{"quick", CodecChoice::kQuick}, {"cold", CodecChoice::kCold}};

test::MakeValue constant() {
  return [](test::Random&) { return 42.5; };
}

// Like a scheduler's run queue: integers that vary independently around a level.
test::MakeValue integerGauge() {
  return [](test::Random& r) { return std::floor(40 + 10 * test::normal(r)); };
}

constexpr Kind kKinds[] = {
    {"integer_walk", test::integerWalk, 0},
    {"two_decimal_walk", test::decimalWalk, 0},
    {"counter_jitter", test::jitteryCounter, 0},
    {"constant", constant, 0},
    {"integer_gauge", integerGauge, 0},
    {"full_precision", test::fullPrecision, 0},
    {"integer_walk_jittered_clock", test::integerWalk, 1},
};

// The best of several rounds, in millions of samples per second.
template <typename Work>
double bestRate(std::size_t samples, Work work) {
  double best = 0;
  for (int round = 0; round < kRounds; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    best = std::max(best, static_cast<double>(samples) / spent.count() / 1e6);
  }
  return best;
}

void measure(const Kind& kind, const Choice& choice, std::size_t count) {
  test::Random random(1);
  std::vector<Row> rows(kChunks);
  for (Row& row : rows) {
    row = {test::makeTimestamps(kind.clock, count, random),
           test::makeValues({kind.name, kind.start}, count, random)};
  }
  std::vector<ByteBuffer> chunks(kChunks);
  std::size_t size = 0;
  ChunkSummary summary{};
  const double encode = bestRate(kChunks * count, [&] {
    size = 0;
    for (std::size_t i = 0; i < kChunks; ++i) {
      chunks[i].clear();
      summary = encodeChunk(rows[i].ts, rows[i].values, chunks[i], choice.codecs);
      size += chunks[i].size();
    }
  });
  Row back{std::vector<Timestamp>(count), std::vector<double>(count)};
  bool isGood = true;
  const double decode = bestRate(kChunks * count, [&] {
    for (const ByteBuffer& chunk : chunks) {
      isGood = decodeChunk(chunk, back.ts, back.values).ok() && isGood;
    }
  });
  if (!isGood) std::exit(1);
  std::printf(
      "{\"row\":\"%s\",\"codecs\":\"%s\",\"kernels\":\"%s\",\"samples_per_chunk\":%zu,\"value_codec\":%d,"
      "\"timestamp_codec\":%d,\"bytes_per_sample\":%.4f,\"encode_msamples_per_s\":%.0f,"
      "\"decode_msamples_per_s\":%.0f}\n",
      kind.name, choice.name, kernels().name, count, static_cast<int>(summary.valueCodec),
      static_cast<int>(summary.timestampCodec),
      static_cast<double>(size) / static_cast<double>(kChunks * count), encode, decode);
}

}  // namespace

int main(int argc, char** argv) {
  const long count = argc > 1 ? std::atol(argv[1]) : 4096;
  if (count < 1 || count > static_cast<long>(kChunkSamplesMax)) return 2;
  for (const Kind& kind : kKinds) {
    for (const Choice& choice : kChoices) measure(kind, choice, static_cast<std::size_t>(count));
  }
  return 0;
}
