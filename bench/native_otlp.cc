// Measures OpenTelemetry points per second on one core: numbers, and histograms of fifteen buckets.
// Points have eight attributes, resources have four. Prints one JSON line per case.
// usage: native_otlp [SECONDS_PER_CASE]
#include "ingest/otlp/otlp_parser.h"
#include "ingest/otlp/request_writer.h"
#include "parser_bench.h"

namespace {

using namespace seriesdb;
using namespace seriesdb::bench;

constexpr std::uint32_t kRequestPoints = 2000;
constexpr std::uint32_t kResourcePoints = 200;
constexpr std::uint64_t kTime = 1'700'000'000'000'000'000;

test::Attributes attributesOf(std::uint32_t series) {
  return {{"http.request.method", series % 2 == 0 ? "GET" : "POST"},
          {"http.response.status_code", series % 3 == 0 ? "200" : "404"},
          {"http.route", "/api/v1/items/" + std::to_string(series)},
          {"network.protocol.version", "1.1"},
          {"server.address", "shop.example.com"},
          {"server.port", "8443"},
          {"url.scheme", "https"},
          {"user.tier", series % 5 == 0 ? "gold" : "free"}};
}

test::MessageWriter pointOf(std::uint32_t series, bool isHistogram) {
  if (!isHistogram) return test::numberMessage({attributesOf(series), kTime, series * 1.25});
  test::HistogramPoint point{attributesOf(series), kTime, {}, {series % 9}, 12.5};
  for (int i = 0; i < 14; ++i) {
    point.bounds.push_back(0.005 * (1 << i));
    point.counts.push_back(series % 7);
  }
  return test::histogramMessage(point);
}

std::string requestOf(std::uint32_t first, std::uint32_t count, bool isHistogram) {
  std::vector<test::ResourceText> resources;
  for (std::uint32_t at = first; at < first + count; at += kResourcePoints) {
    const std::string host = std::to_string(at / kResourcePoints);
    test::ResourceText& resource = resources.emplace_back();
    resource.attributes = {{"service.name", "shop"},
                           {"service.instance.id", "instance-" + host},
                           {"k8s.pod.name", "shop-7d9f-" + host},
                           {"process.pid", host}};
    test::MetricText metric{"http.server.request.duration", isHistogram ? 9u : 7u, {}};
    for (std::uint32_t i = at; i < std::min(at + kResourcePoints, first + count); ++i) {
      metric.points.push_back(pointOf(i, isHistogram));
    }
    resource.metrics.push_back(std::move(metric));
  }
  return test::otlpRequest(resources);
}

std::unique_ptr<IngestParser> makeParser(ParserState& state, const IngestOptions& options) {
  IngestOptions promoting = options;
  promoting.otlp.resourceLabels = {"k8s.pod.name"};
  return makeOtlpParser(state, promoting);
}

void run(std::uint32_t seriesCount, bool isHistogram, std::size_t cacheBytes, double seconds) {
  std::vector<std::string> requests;
  for (std::uint32_t first = 0; first < seriesCount; first += kRequestPoints) {
    const auto count = std::min(kRequestPoints, seriesCount - first);
    requests.push_back(requestOf(first, count, isHistogram));
  }
  const IndexHolder indexes(SeriesIndex::make({}));
  const auto state = ParserState::make(indexes, cacheBytes);
  const auto index = indexes.writable();
  for (const auto& request : requests) {
    for (const auto& series : parseRequest(*state, makeParser, request).pendingSeries) {
      CHECK(index->findOrCreate(series.name, viewsOf(series.labels)).ok());
    }
  }
  // Fills the cache.
  for (const auto& request : requests) parseRequest(*state, makeParser, request);
  std::uint64_t points = 0;
  std::uint64_t samples = 0;
  const double start = cpuSeconds();
  double elapsed = 0;
  while (elapsed < seconds) {
    for (const auto& request : requests) {
      const StagedSamples staged = parseRequest(*state, makeParser, request);
      points += staged.lineCount;
      samples += staged.refs.size();
    }
    elapsed = cpuSeconds() - start;
  }
  std::printf(
      "{\"bench\":\"otlp\",\"case\":\"%s\",\"series\":%u,\"cache\":%s,"
      "\"million_points_per_s\":%.2f,\"million_samples_per_s\":%.2f}\n",
      isHistogram ? "histograms" : "numbers", seriesCount, cacheBytes > 0 ? "true" : "false",
      static_cast<double>(points) / elapsed / 1e6, static_cast<double>(samples) / elapsed / 1e6);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 1;
  for (const std::uint32_t count : {2000u, 20'000u, 100'000u}) {
    run(count, false, kCacheBytes, seconds);
  }
  run(10'000, true, kCacheBytes, seconds);
  run(2000, false, 0, seconds);
  return 0;
}
