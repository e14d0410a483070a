// A field that is most of a request is read in steps, and means what it means at once.
#include "harness.h"
#include "ingest/ingest_fixture.h"
#include "otlp/json_parser.h"
#include "otlp/json_writer.h"
#include "otlp/otlp_parser.h"
#include "otlp/request_writer.h"
#include "remote_write/remote_write_parser.h"
#include "remote_write/request_writer.h"
#include "remote_write/second_version.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

constexpr std::size_t kStepSizeMax = 32'768;

struct LongBody {
  const char* name;
  MakeParser make;
  std::string body;
  std::size_t sampleCount;
};

std::string longResource() {
  ResourceText resource{{{"service.name", "api"}, {"os", "linux"}}, {}};
  for (const std::uint32_t kind : {5u, 7u}) {
    MetricText metric{"m" + std::to_string(kind), kind, {}};
    for (std::uint64_t i = 1; i <= 10'000; ++i) {
      const Attributes attributes{{"host", std::to_string(i % 7)}};
      metric.points.push_back(numberMessage({attributes, i * 1'000'000, static_cast<double>(i)}));
    }
    resource.metrics.push_back(std::move(metric));
  }
  return otlpRequest({resource, {{{"service.name", "small"}}, {}}, resource});
}

std::vector<SentSeries> longSeries() {
  SentSeries one{{{"__name__", "up"}, {"job", "x"}}, {}};
  for (int i = 0; i < 20'000; ++i) one.samples.push_back({static_cast<double>(i), 1'000 + i});
  const SentSeries other{{{"__name__", "down"}}, {{5, 6}}};
  return {one, other, one};
}

std::vector<LongBody> longBodies() {
  return {{"OTLP", makeOtlpParser, longResource(), 40'002},
          {"OTLP in JSON", makeOtlpJsonParser, otlpJsonOf(longResource()), 40'002},
          {"remote_write 1.0", makeRemoteWriteParser, requestOf(longSeries()), 40'001},
          {"remote_write 2.0", makeSecondVersionParser, secondRequestOf(longSeries()), 40'001}};
}

// To read a field is as much work again as to gather it.
bool isInSteps(const Stepped& stepped, std::size_t size) {
  return stepped.stepCount >= 3 * size / 2 / kStepSizeMax;
}

}  // namespace

TEST("a field that is most of a request is read in steps, with the same result") {
  for (const LongBody& one : longBodies()) {
    Fixture fixture{one.make};
    const Outcome expected = fixture.parse(one.body);
    EXPECT(expected.code == StatusCode::kOk);
    EXPECT(expected.staged.refs.size() == one.sampleCount);
    for (const std::size_t pieceSize : {one.body.size(), std::size_t{65'536}, std::size_t{4'999}}) {
      const Stepped stepped = parseInSteps(*fixture.state, one.body, {}, pieceSize, one.make);
      EXPECT(sameOutcome(stepped.outcome, expected));
      EXPECT(isInSteps(stepped, one.body.size()));
    }
  }
}

TEST("what is bad in a field that is read in steps is told as if it were read at once") {
  for (const LongBody& one : longBodies()) {
    std::mt19937_64 random(seed());
    for (int round = 0; round < rounds(40); ++round) {
      std::string body = one.body;
      mutateBytes(random, body);
      if (round % 4 == 0 && !body.empty()) body.resize(random() % body.size());
      Fixture fixture{one.make};
      const Outcome expected = fixture.parse(body);
      const std::size_t pieceSize = 1 + random() % (body.size() + 1);
      const Stepped stepped = parseInSteps(*fixture.state, body, {}, pieceSize, one.make);
      EXPECT(sameOutcome(stepped.outcome, expected));
    }
  }
}

TEST("a long series is the same samples as many short ones") {
  const SentSeries sent = longSeries().front();
  std::vector<SentSeries> parts;
  for (std::size_t at = 0; at < sent.samples.size(); at += 100) {
    const auto begin = sent.samples.begin() + static_cast<std::ptrdiff_t>(at);
    parts.push_back({sent.labels, {begin, begin + 100}});
  }
  Fixture fixture{makeRemoteWriteParser};
  const Outcome whole = fixture.parse(requestOf({sent}));
  const Outcome inParts = fixture.parse(requestOf(parts));
  EXPECT(whole.code == StatusCode::kOk && whole.staged.refs == inParts.staged.refs);
  EXPECT(whole.staged.ts == inParts.staged.ts);
  EXPECT(sameBits(whole.staged.values, inParts.staged.values));
}

TEST("a request holds no more samples than its record can, which is asked at every step") {
  MessageWriter samples;
  MessageWriter label;
  label.addText(1, "__name__");
  label.addText(2, "m");
  samples.addMessage(1, label);
  std::string parts(asText(samples.bytes()));
  const std::string_view sample("\x12\0", 2);
  for (std::size_t i = 0; i < kRequestSamplesMax + 100'000; ++i) parts += sample;
  MessageWriter request;
  request.addText(1, parts);
  Fixture fixture{makeRemoteWriteParser};
  IngestOptions options;
  options.isLenient = true;
  const Outcome outcome = fixture.parse(asText(request.bytes()), options);
  EXPECT(outcome.code == StatusCode::kPayloadTooLarge);
  EXPECT(outcome.message == "a request holds at most 16777216 samples; send it in parts");
}
