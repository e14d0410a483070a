// No body costs more than it weighs.
#include "ingest/reader_cost.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "harness.h"
#include "ingest/body_budget.h"
#include "ingest/costly_lines.h"
#include "ingest/csv/csv_parser.h"
#include "ingest/remote_write/request_writer.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

// Bytes of memory a byte of the body: a sample of two bytes is one of 20, or two; text that the
// budget lets it make is held twice.
constexpr std::size_t kPeakPerByte = 24 + 2 * BodyBudget::kTextPerByte;
constexpr std::size_t kPeakFree = std::size_t{12} << 20;
// A turn has 2 ms. The longest steps take 1.3 ms, and more where others take cores and caches away.
constexpr double kStepSeconds = 0.003;
// Scratch grows, and the first lines are learnt.
constexpr double kSecondsFree = 0.005;
// About twice as much as the dearest body of the format takes.
struct Allowance {
  MakeParser make;
  double secondsPerByte;
  // A long field of protobuf is given back to the system at once, which takes 0.1 ms a MiB; one of
  // JSON may be four times as long.
  double releaseSecondsPerByte;
};
constexpr Allowance kAllowances[] = {
    {makeNdjsonParser, 150e-9, 0},           {makeLineProtocolParser, 150e-9, 0},
    {makeRemoteWriteParser, 60e-9, 0.15e-9}, {makeSecondVersionParser, 60e-9, 0.15e-9},
    {makeOtlpParser, 120e-9, 0.15e-9},       {makeOtlpJsonParser, 120e-9, 0.6e-9},
};
// A new series may have two bytes of a row.
constexpr Allowance kCsvAllowance{nullptr, 400e-9, 0};

// PacedParser gives the readers no more at a time.
constexpr std::size_t kStepSizeMax = std::size_t{64} << 10;
#if defined(__OPTIMIZE__)
constexpr bool kIsOptimized = true;
#else
constexpr bool kIsOptimized = false;
#endif
// Builds that have fewer rounds, as for sanitizers, are slow: they are asked for memory alone.
constexpr bool kIsTimed = kStride == 1 && kIsOptimized;
constexpr double kSlowness = kIsTimed ? 1 : 1000;
constexpr int kTriesMax = kIsTimed ? 40 : 1;
// Of the heap that the parser does not tell: what the requests of a thread share as scratch of one
// line, which has 64 KiB, up to 64 bytes for each of its own and a text of 1 MiB, twice.
constexpr std::ptrdiff_t kUntoldFree = std::ptrdiff_t{6} << 20;

double longestOf(const ReaderCost& cost) {
  return *std::max_element(cost.steps.begin(), cost.steps.end());
}

double sumOf(const ReaderCost& cost) {
  return std::accumulate(cost.steps.begin(), cost.steps.end(), 0.0);
}

bool isQuick(const CostlyBody& one, const ReaderCost& cost) {
  const auto* const of = std::ranges::find(kAllowances, one.make, &Allowance::make);
  const Allowance& allowed = of == std::end(kAllowances) ? kCsvAllowance : *of;
  const auto size = static_cast<double>(one.body.size());
  return longestOf(cost) <= kSlowness * (kStepSeconds + allowed.releaseSecondsPerByte * size) &&
         sumOf(cost) <= kSlowness * (kSecondsFree + allowed.secondsPerByte * size);
}

void expectLinear(const CostlyBody& one, const ReaderCost& cost) {
  const auto size = one.body.size();
  const bool isCheap = cost.peakBytes <= kPeakPerByte * size + kPeakFree && isQuick(one, cost) &&
                       cost.untoldBytes <= kUntoldFree;
  if (!isCheap) {
    std::printf("%s: %zu bytes take %.3f s, at most %.4f s a step, and %zu bytes, %td untold: %s\n",
                one.name, size, sumOf(cost), longestOf(cost), cost.peakBytes, cost.untoldBytes,
                cost.message.c_str());
  }
  EXPECT(isCheap);
  // One that fails is read no further.
  EXPECT(cost.code != StatusCode::kOk || cost.steps.size() >= size / kStepSizeMax);
}

struct Known {
  bool isCached = false;
  std::string_view body;  // The index has its series.
};

// The steps of each try are the same, so what else the machine did is in no minimum of a step.
ReaderCost leastCostOf(const CostlyBody& one, const IngestOptions& options, const Known& known) {
  ReaderCost least;
  for (int i = 0; i < kTriesMax; ++i) {
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
    if (isQuick(one, least)) break;
  }
  return least;
}

}  // namespace

TEST("a body that stands for much takes time and memory by its size alone") {
  std::vector<CostlyBody> all = costlyBodies();
  for (CostlyBody& one : costlyLines()) all.push_back(std::move(one));
  // Each of them takes seconds without optimization, where what it takes means little.
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
  return {
      {"NDJSON", makeNdjsonParser,
       repeated("{\"metric\":\"m\",\"labels\":{\"a\":\"b\"},\"ts\":1,\"value\":2}\n", 3)},
      {"line protocol", makeLineProtocolParser, repeated("m,a=b,c=d f=1,g=2i 1\n", 3)},
      {"CSV", makeCsvOfThree, "m,1,2\nn,3,4\n\"o\",5,6\n"},
      {"remote_write 1.0", makeRemoteWriteParser, requestOf(series)},
      {"remote_write 2.0", makeSecondVersionParser, secondRequestOf(series)},
      {"OTLP", makeOtlpParser, otlpRequest(resources)},
      {"OTLP in JSON", makeOtlpJsonParser, otlpJsonOf(otlpRequest(resources))},
  };
}

// Pieces of the body, each many times: what an attacker would grow.
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

TEST("bodies of every format, mutated and grown, take time and memory by their size alone") {
  std::mt19937_64 random(seed());
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
