// Measures snappy on one core, with remote_write bodies of 2,000 series each. Prints one JSON line
// per case.
// usage: native_snappy [SECONDS_PER_CASE]
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <random>

#include "common/base/check.h"
#include "common/encoding/snappy_decoder.h"
#include "common/encoding/snappy_encoder.h"
#include "ingest/remote_write/request_writer.h"

namespace {

using namespace seriesdb;

constexpr std::uint32_t kSeriesCount = 2000;
constexpr std::size_t kChunkSize = 64u << 10;  // The piece size of the HTTP server.

// CPU time of this thread, which other load on the machine hardly affects.
double cpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void decode(Bytes body, std::size_t textSize) {
  SnappyDecoder decoder(textSize);
  std::size_t size = 0;
  for (std::size_t at = 0; at < body.size(); at += kChunkSize) {
    decoder.write(body.subspan(at, std::min(kChunkSize, body.size() - at)));
    do {
      Bytes piece;
      CHECK(decoder.next(piece).ok());
      size += piece.size();
    } while (!decoder.needsInput());
  }
  CHECK(decoder.isWhole() && size == textSize);
}

template <typename Work>
void measure(const char* name, const char* text, std::size_t textSize, std::size_t bodySize,
             double seconds, Work work) {
  std::uint64_t rounds = 0;
  const double start = cpuSeconds();
  double elapsed = 0;
  while (elapsed < seconds) {
    work();
    ++rounds;
    elapsed = cpuSeconds() - start;
  }
  std::printf(
      "{\"bench\":\"snappy\",\"case\":\"%s, %s\",\"bytes\":%zu,\"encoded_bytes\":%zu,"
      "\"gb_per_s\":%.2f}\n",
      name, text, textSize, bodySize,
      static_cast<double>(rounds) * static_cast<double>(textSize) / elapsed / 1e9);
  std::fflush(stdout);
}

void run(const char* name, Bytes text, double seconds) {
  ByteBuffer body;
  appendSnappy(body, text);
  measure("decode", name, text.size(), body.size(), seconds,
          [&] { decode(body, text.size()); });
  measure("encode", name, text.size(), body.size(), seconds, [&] {
    body.clear();
    appendSnappy(body, text);
  });
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 1;
  const std::string request =
      test::requestOf(test::scrapedSeries(0, kSeriesCount, 1'700'000'000'000));
  run("a request", asBytes(request), seconds);
  std::mt19937_64 random(1);
  ByteBuffer noise;
  while (noise.size() < request.size()) appendLe(noise, random());
  run("random bytes", noise, seconds);
  return 0;
}
