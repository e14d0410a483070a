// Measures series of remote_write 1.0 per second on one core, with ten labels and one sample each.
// Prints one JSON line per case. The figures with snappy include decompression.
// usage: native_remote_write [SECONDS_PER_CASE]
#include "common/encoding/snappy_decoder.h"
#include "common/encoding/snappy_encoder.h"
#include "ingest/remote_write/remote_write_parser.h"
#include "ingest/remote_write/request_writer.h"
#include "parser_bench.h"

namespace {

using namespace seriesdb;
using namespace seriesdb::bench;

constexpr std::uint32_t kRequestSeries = 2000;

struct Request {
  std::string text;
  ByteBuffer body;
};

std::vector<Request> makeRequests(std::uint32_t seriesCount, std::int64_t ts) {
  std::vector<Request> all;
  for (std::uint32_t first = 0; first < seriesCount; first += kRequestSeries) {
    Request& request = all.emplace_back();
    const auto count = std::min(kRequestSeries, seriesCount - first);
    request.text = test::requestOf(test::scrapedSeries(first, count, ts));
    appendSnappy(request.body, asBytes(request.text));
  }
  return all;
}

StagedSamples unpackAndParse(ParserState& state, const Request& request) {
  const auto parser = makeRemoteWriteParser(state, {});
  SnappyDecoder decoder(request.text.size());
  for (std::size_t at = 0; at < request.body.size(); at += kChunkSize) {
    decoder.write(Bytes(request.body).subspan(at, std::min(kChunkSize, request.body.size() - at)));
    do {
      Bytes piece;
      CHECK(decoder.next(piece).ok() && parser->write(piece).ok());
    } while (!decoder.needsInput());
  }
  CHECK(decoder.isWhole() && parser->finish().ok());
  return parser->take();
}

StagedSamples parse(ParserState& state, const Request& request, bool isPacked) {
  if (isPacked) return unpackAndParse(state, request);
  return parseRequest(state, makeRemoteWriteParser, request.text);
}

void run(std::uint32_t seriesCount, bool isPacked, std::size_t cacheBytes, double seconds) {
  const auto requests = makeRequests(seriesCount, 1'700'000'000'000);
  const IndexHolder indexes(SeriesIndex::make({}));
  const auto state = ParserState::make(indexes, cacheBytes);
  const auto index = indexes.writable();
  for (const Request& request : requests) {
    for (const auto& series : parse(*state, request, false).pendingSeries) {
      CHECK(index->findOrCreate(series.name, viewsOf(series.labels)).ok());
    }
  }
  for (const Request& request : requests) parse(*state, request, false);  // Fills the cache.
  std::uint64_t samples = 0;
  const double start = cpuSeconds();
  double elapsed = 0;
  while (elapsed < seconds) {
    for (const Request& request : requests) {
      samples += parse(*state, request, isPacked).refs.size();
    }
    elapsed = cpuSeconds() - start;
  }
  std::printf(
      "{\"bench\":\"remote_write\",\"case\":\"%s\",\"series\":%u,\"cache\":%s,"
      "\"million_samples_per_s\":%.2f}\n",
      isPacked ? "with snappy" : "unpacked", seriesCount, cacheBytes > 0 ? "true" : "false",
      static_cast<double>(samples) / elapsed / 1e6);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 1;
  for (const std::uint32_t count : {2000u, 20'000u, 200'000u}) {
    run(count, false, kCacheBytes, seconds);
    run(count, true, kCacheBytes, seconds);
  }
  run(2000, false, 0, seconds);
  return 0;
}
