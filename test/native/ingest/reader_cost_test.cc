// The cost of every body stays in proportion to its size.
#include "ingest/reader_cost.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "harness.h"
#include "ingest/body_budget.h"
#include "ingest/costly_formats.h"
#include "ingest/costly_lines.h"
#include "ingest/csv/csv_parser.h"
#include "ingest/format/body_format.h"
#include "ingest/remote_write/request_writer.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

// Bytes of memory per byte of the body: a sample of two bytes becomes one of 20, or two; text
// within the budget is held twice.
constexpr std::size_t kPeakPerByte = 24 + 2 * BodyBudget::kTextPerByte;
constexpr std::size_t kPeakFree = std::size_t{12} << 20;
// A turn has 2 ms. The longest steps take 1.3 ms, more if other processes compete for cores and
// caches.
constexpr double kStepSeconds = 0.003;
// Time for scratch to grow and for the first lines to be learnt.
constexpr double kSecondsFree = 0.005;
// As CostlyFormat::secondsPerByte, for the formats whose bodies are listed together.
struct Allowance {
  MakeParser make;
  double secondsPerByte;
};
constexpr Allowance kAllowances[] = {
    {makeNdjsonParser, 150e-9},      {makeLineProtocolParser, 150e-9},
    {makeRemoteWriteParser, 60e-9},  {makeSecondVersionParser, 60e-9},
    {makeOtlpParser, 120e-9},        {makeOtlpJsonParser, 120e-9},
};
// A row may have a new series for every two bytes.
constexpr double kCsvSecondsPerByte = 400e-9;

// PacedParser passes the readers no more at a time.
constexpr std::size_t kStepSizeMax = std::size_t{64} << 10;
#if defined(__OPTIMIZE__)
constexpr bool kIsOptimized = true;
#else
constexpr bool kIsOptimized = false;
#endif
// Builds with fewer rounds, as with sanitizers, are slow: only their memory is checked.
constexpr bool kIsTimed = kStride == 1 && kIsOptimized;
constexpr double kSlowness = kIsTimed ? 1 : 1000;
constexpr int kTriesMax = kIsTimed ? 40 : 1;
// Heap that the parser does not report: scratch for one line, shared by the requests of a thread.
// It takes up to 66 bytes for each byte of the line, which has 64 KiB, or 120 for a row of 32 KiB,
// and twice a text of 1 MiB.
constexpr std::ptrdiff_t kUntoldFree = std::ptrdiff_t{6} << 20;

double longestOf(const ReaderCost& cost) {
  return *std::max_element(cost.steps.begin(), cost.steps.end());
}

double sumOf(const ReaderCost& cost) {
  return std::accumulate(cost.steps.begin(), cost.steps.end(), 0.0);
}

double secondsPerByteOf(MakeParser make) {
  const auto* const of = std::ranges::find(kAllowances, make, &Allowance::make);
  if (of != std::end(kAllowances)) return of->secondsPerByte;
  const auto registered = std::ranges::find(costlyFormats(), make, &CostlyFormat::make);
  return registered == costlyFormats().end() ? kCsvSecondsPerByte : registered->secondsPerByte;
}

bool isQuick(const CostlyBody& one, const ReaderCost& cost) {
  const auto size = static_cast<double>(one.body.size());
  const double slowness = kSlowness * cost.slowness;
  return longestOf(cost) <= slowness * kStepSeconds &&
         sumOf(cost) <= slowness * (kSecondsFree + secondsPerByteOf(one.make) * size);
}

void expectLinear(const CostlyBody& one, const ReaderCost& cost) {
  const auto size = one.body.size();
  const bool isCheap = cost.peakBytes <= kPeakPerByte * size + kPeakFree && isQuick(one, cost) &&
                       cost.untoldBytes <= kUntoldFree;
  if (!isCheap) {
    std::printf(
        "%s: %zu bytes take %.3f s, at most %.4f s a step, and %zu bytes, %td untold, on a machine "
        "that takes %.2f times as long: %s\n",
        one.name, size, sumOf(cost), longestOf(cost), cost.peakBytes, cost.untoldBytes,
        cost.slowness, cost.message.c_str());
  }
  EXPECT(isCheap);
  // A body that fails is not read further.
  EXPECT(cost.code != StatusCode::kOk || cost.steps.size() >= size / kStepSizeMax);
}

struct Known {
  bool isCached = false;
  std::string_view body;  // The index has the series of this body; empty: it has none.
};

// The steps of each try are the same, so their minima exclude the load of other processes.
ReaderCost leastCostOf(const CostlyBody& one, const IngestOptions& options, const Known& known) {
  ReaderCost least;
  MachinePace pace;
  for (int i = 0; i < kTriesMax; ++i) {
    if (kIsTimed) pace.measure();
    Fixture fixture{one.make};
    if (!known.body.empty()) fixture.createAll(known.body);
    ParserState& state = known.isCached ? *fixture.state : *fixture.slowState;
    ReaderCost cost = costOf(state, one.body, options, one.make);
    if (i == 0) {
      least = std::move(cost);
    } else {
      EXPECT(cost.steps.size() == least.steps.size());
      for (std::size_t step = 0; step < least.steps.size(); ++step) {
        least.steps[step] = std::min(least.steps[step], cost.steps[step]);
      }
    }
    if (kIsTimed) least.slowness = pace.slowness();
    if (isQuick(one, least)) break;
  }
  return least;
}

}  // namespace

TEST("costly bodies take time and memory that are linear in their size") {
  std::vector<CostlyBody> all = costlyBodies();
  for (CostlyBody& one : costlyLines()) all.push_back(std::move(one));
  for (const CostlyFormat& format : costlyFormats()) {
    for (CostlyBody& one : format.bodies()) all.push_back(std::move(one));
  }
  // Without optimization each takes seconds, and the time means little.
  const std::size_t stride = kIsOptimized ? 1 : kStride;
  for (std::size_t at = seed() % stride; at < all.size(); at += stride) {
    const CostlyBody& one = all[at];
    for (const bool isLenient : {false, true}) {
      IngestOptions options;
      options.isLenient = isLenient;
      options.otlp.resourceLabels = {"*"};
      options.otlp.labelsScope = isLenient;
      for (const bool isCached : {false, true}) {
        if (kStride > 1 && isCached != isLenient) continue;
        expectLinear(one, leastCostOf(one, options, {isCached, {}}));
      }
    }
  }
}

namespace {

std::unique_ptr<IngestParser> makeCsvOfThree(ParserState& state, const IngestOptions& wanted) {
  IngestOptions options = wanted;
  options.columns = {{ColumnKind::kMetric, ""}, {ColumnKind::kTime, ""}, {ColumnKind::kValue, ""}};
  return makeCsvParser(state, options);
}

struct Format {
  const char* name;
  MakeParser make;
  std::string body;
};

std::vector<Format> formats() {
  const std::vector<SentSeries> series{{{{"__name__", "up"}, {"job", "x"}}, {{1, 2}, {3, 4}}},
                                       {{{"__name__", "down"}, {"a", ""}}, {{5, 6}}}};
  const std::vector<ResourceText> resources{
      {{{"service.name", "api"}, {"os", "linux"}},
       {{"m", 5, {numberMessage({{{"a", "b"}}, 1'000'000, 1.0})}},
        {"h", 9, {histogramMessage({{{"a", "b"}}, 1'000'000, {1, 2}, {1, 2, 3}, 4.0})}}}}};
  std::vector<Format> all = {
      {"NDJSON", makeNdjsonParser,
       repeated("{\"metric\":\"m\",\"labels\":{\"a\":\"b\"},\"ts\":1,\"value\":2}\n", 3)},
      {"line protocol", makeLineProtocolParser, repeated("m,a=b,c=d f=1,g=2i 1\n", 3)},
      {"CSV", makeCsvOfThree, "m,1,2\nn,3,4\n\"o\",5,6\n"},
      {"remote_write 1.0", makeRemoteWriteParser, requestOf(series)},
      {"remote_write 2.0", makeSecondVersionParser, secondRequestOf(series)},
      {"OTLP", makeOtlpParser, otlpRequest(resources)},
      {"OTLP in JSON", makeOtlpJsonParser, otlpJsonOf(otlpRequest(resources))},
  };
  for (const CostlyFormat& one : costlyFormats()) all.push_back({one.name, one.make, one.body});
  return all;
}

// Repeats pieces of the body, as an attacker would.
void grow(std::mt19937_64& random, std::string& body) {
  for (int i = 0; i < 3; ++i) {
    mutateBytes(random, body);
    if (body.empty()) return;
    const std::size_t at = random() % body.size();
    const std::string piece = body.substr(at, 1 + random() % 40);
    body.insert(at, repeated(piece, random() % (std::size_t{1} << random() % 14)));
  }
}

}  // namespace

TEST("mutated and grown bodies of every format take time and memory linear in their size") {
  std::mt19937_64 random(seed());
  EXPECT(formats().size() == kBodyFormatNames.size());
  for (const Format& format : formats()) {
    for (int round = 0; round < rounds(60); ++round) {
      CostlyBody one{format.name, format.make, format.body};
      grow(random, one.body);
      IngestOptions options;
      options.isLenient = round % 2 == 0;
      options.otlp.resourceLabels = {"*"};
      options.otlp.labelsScope = true;
      expectLinear(one, leastCostOf(one, options, {true, format.body}));
    }
  }
}
