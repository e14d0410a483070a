// A field that makes up most of a request is read in steps, with the same result as in one.
#include <algorithm>

#include "harness.h"
#include "index/index_holder.h"
#include "ingest/costly_bodies.h"
#include "ingest/csv/csv_parser.h"
#include "ingest/ingest_fixture.h"
#include "ingest/line_protocol/line_protocol_parser.h"
#include "ingest/ndjson/ndjson_parser.h"
#include "ingest/otlp/json_parser.h"
#include "ingest/otlp/json_writer.h"
#include "ingest/otlp/otlp_parser.h"
#include "ingest/otlp/request_writer.h"
#include "ingest/reader_cost.h"
#include "ingest/remote_write/remote_write_parser.h"
#include "ingest/remote_write/request_writer.h"
#include "ingest/remote_write/second_version.h"

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

// Parsing a field is as much work as gathering it.
bool isInSteps(const Stepped& stepped, std::size_t size) {
  return stepped.stepCount >= 3 * size / 2 / kStepSizeMax;
}

}  // namespace

TEST("a field that fills most of a request is read in steps, with the same result") {
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

TEST("an error in a field that is read in steps equals the one of a single read") {
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

namespace {

// Lines of a few hundred fields between short ones. Their texts lie in the line, in the dialect's
// scratch, or in neither.
std::string longJsonLines(int count) {
  std::string body;
  for (int line = 0; line < 4; ++line) {
    body += "{\"metric\":\"short\",\"ts\":1,\"value\":2}\n{\"ts\":1,\"metric\":\"m" +
            std::to_string(line / 2) + "\",\"unit\":\"a\\tb\",\"description\":\"d" +
            "\",\"labels\":{\"x\":\"y\\\"z\",\"n\":5},\"fields\":{";
    for (int i = 0; i < count; ++i)
      body += "\"f" + std::to_string(i) + "\":" + std::to_string(i) + ',';
    body.back() = '}';
    body += "}\n";
  }
  return body;
}

std::string longInfluxLines(int count) {
  std::string body;
  for (int line = 0; line < 4; ++line) {
    body += "short v=1 1\nm" + std::to_string(line / 2) + ",x=y\\ z,k=w ";
    for (int i = 0; i < count; ++i) body += "f" + std::to_string(i) + '=' + std::to_string(i) + ',';
    body.back() = ' ';
    body += "1\n";
  }
  return body;
}

// Rows that span several lines of text, so that line and row numbers differ.
std::string longCsvRows(int count) {
  std::string body;
  for (int line = 0; line < 4; ++line) {
    body += "1,\"x\ny" + std::to_string(line / 2) + '"';
    for (int i = 0; i < count; ++i) body += ',' + std::to_string(i);
    body += '\n';
  }
  return body;
}

std::string longHistogram(std::uint64_t count) {
  HistogramPoint point{{{"a", "b"}}, 1'000'000, {}, {1}, 1.0};
  for (std::uint64_t i = 0; i < count; ++i) {
    point.bounds.push_back(static_cast<double>(i));
    point.counts.push_back(1);
  }
  const auto message = histogramMessage(point);
  const auto small = numberMessage({{{"a", "b"}}, 1'000'000, 1.0});
  return otlpRequest({{{{"service.name", "api"}},
                       {{"h", 9, {message, message}}, {"g", 5, {small}}, {"i", 9, {message}}}}});
}

IngestOptions csvOf(int count) {
  IngestOptions options;
  options.columns = {{ColumnKind::kTime, ""}, {ColumnKind::kLabel, "x"}};
  for (int i = 0; i < count; ++i) {
    options.columns.push_back({ColumnKind::kValue, "m" + std::to_string(i)});
  }
  return options;
}

struct WideBody {
  MakeParser make;
  std::string body;
  IngestOptions options;
};

std::vector<WideBody> wideBodies() {
  constexpr int kCount = 1'500;
  return {{makeNdjsonParser, longJsonLines(kCount), {}},
          {makeLineProtocolParser, longInfluxLines(kCount), {}},
          {makeCsvParser, longCsvRows(kCount), csvOf(kCount)},
          {makeOtlpParser, longHistogram(5'000), {}}};
}

// Between any two steps another request parses its own lines with the same scratch.
Stepped parseBeside(Fixture& fixture, const WideBody& one, std::size_t pieceSize) {
  PacedParser::Clock clock = [now = std::uint64_t{0}]() mutable { return now += 1'000'000; };
  PacedParser parser(one.make(*fixture.state, one.options), std::move(clock));
  Stepped stepped;
  Status status;
  std::string_view text = one.body;
  while (status.ok() && (!text.empty() || parser.isWaiting())) {
    const ByteBuffer piece(
        text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(pieceSize, text.size())));
    text.remove_prefix(piece.size());
    status = parser.write(piece, 1);
    ++stepped.stepCount;
    EXPECT(parseText(*fixture.state, longJsonLines(3)).code == StatusCode::kOk);
  }
  if (status.ok()) status = parser.finish();
  stepped.outcome.code = status.code();
  stepped.outcome.message = status.message();
  if (status.ok()) stepped.outcome.staged = parser.take();
  return stepped;
}

}  // namespace

TEST("many new series of one line or point are staged in steps, with the same result") {
  for (const WideBody& one : wideBodies()) {
    Fixture fixture{one.make};
    const Outcome expected = fixture.parse(one.body, one.options);
    EXPECT(expected.code == StatusCode::kOk);
    EXPECT(expected.staged.pendingSeries.size() > 2'900);
    for (const std::size_t pieceSize : {one.body.size(), std::size_t{700}}) {
      const Stepped stepped = parseBeside(fixture, one, pieceSize);
      EXPECT(sameOutcome(stepped.outcome, expected));
      // A step creates about 256 series.
      EXPECT(stepped.stepCount >= expected.staged.pendingSeries.size() / 300);
    }
    // Known series are found again, and then by the frame cache.
    fixture.commit(expected);
    const Outcome known = fixture.parse(one.body, one.options);
    EXPECT(known.code == StatusCode::kOk && known.staged.pendingSeries.empty());
    EXPECT(known.staged.refs.size() == expected.staged.refs.size());
    EXPECT(sameOutcome(parseBeside(fixture, one, 700).outcome, known));
  }
}

TEST("a rejected line of many new series leaves none of them and is reported by number") {
  for (const WideBody& one : wideBodies()) {
    Fixture fixture{one.make, IndexHolder{SeriesIndex::make({2'000, 0})}};
    IngestOptions lenient = one.options;
    lenient.isLenient = true;
    const Outcome expected = fixture.parse(one.body, lenient);
    EXPECT(expected.code == StatusCode::kOk && !expected.staged.rejected.empty());
    EXPECT(expected.staged.pendingSeries.size() <= 2'000);
    const WideBody same{one.make, one.body, lenient};
    EXPECT(sameOutcome(parseBeside(fixture, same, 700).outcome, expected));
  }
}

TEST("unknown lines pause the parser at least every 16 KiB of work") {
  constexpr std::size_t kLineCount = 20'000;
  constexpr std::size_t kWork = sizeof("x") - 1 + 8;  // The work of a line: its bytes, plus 8.
  constexpr std::size_t kWorkMax = std::size_t{16} << 10;
  Fixture fixture;
  IngestOptions options;
  options.isLenient = true;
  const std::string body = repeated("x\n", kLineCount);
  const ReaderCost cost = costOf(*fixture.state, body, options, makeNdjsonParser);
  EXPECT(cost.code == StatusCode::kOk);
  EXPECT(cost.steps.size() >= kLineCount * kWork / kWorkMax);
}

TEST("scratch memory of a long line is counted and freed") {
  const auto account = std::make_shared<MemoryAccount>();
  const IndexHolder indexes(SeriesIndex::make({}));
  const auto state = ParserState::make(indexes, 0, account);
  IngestOptions options;
  options.limits.lineSizeMax = std::size_t{16} << 20;
  const std::string usual = longJsonLines(1'000);
  EXPECT(parseText(*state, usual, options, makeNdjsonParser).code == StatusCode::kOk);
  EXPECT(account->bytes() > usual.size() / 4);
  const std::string large = longJsonLines(100'000);
  static_cast<void>(parseText(*state, large, options, makeNdjsonParser));
  EXPECT(account->bytes() < large.size());
}

TEST("one long series gives the same samples as many short ones") {
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

TEST("a request past the sample limit of its record is refused") {
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
