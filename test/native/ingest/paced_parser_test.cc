// A body parsed in turns: the result equals that of one turn, and no turn exceeds its time by more
// than a step.
#include "ingest/paced_parser.h"

#include <random>
#include <string>

#include "harness.h"
#include "ingest_fixture.h"

using namespace seriesdb;
using seriesdb::test::Fixture;
using seriesdb::test::Outcome;

namespace {

std::string linesOf(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += "{\"metric\":\"m" + std::to_string(i % 7) + "\",\"ts\":" + std::to_string(i) +
            ",\"value\":" + std::to_string(i * 3) + "}\n";
  }
  return text;
}

PacedParser pacedBy(Fixture& fixture, PacedParser::Clock clock, const IngestOptions& options = {}) {
  return PacedParser(makeNdjsonParser(*fixture.state, options), std::move(clock));
}

// A clock on which every step takes `nanos`.
PacedParser::Clock stepsOf(std::uint64_t nanos) {
  return [now = std::uint64_t{0}, nanos]() mutable { return now += nanos; };
}

Outcome finished(PacedParser& parser, Status status) {
  Outcome outcome;
  if (status.ok()) status = parser.finish();
  outcome.code = status.code();
  outcome.message = status.message();
  if (status.ok()) outcome.staged = parser.take();
  return outcome;
}

}  // namespace

TEST("a body parsed in turns gives the same result as one parsed at once") {
  std::mt19937_64 random(seriesdb::test::seed());
  Fixture fixture;
  fixture.ingest(linesOf(20));
  for (int round = 0; round < 200; ++round) {
    std::string body = linesOf(static_cast<int>(random() % 3000));
    if (round % 5 == 0) body += "no record\n" + linesOf(10);
    const Outcome expected = fixture.parse(body);
    auto parser = pacedBy(fixture, stepsOf(100'000));
    Status status;
    for (std::string_view rest = body; !rest.empty() && status.ok();) {
      const auto size = std::min<std::size_t>(rest.size(), random() % 60'000);
      // Memory of exactly this size, freed after the call.
      const ByteBuffer chunk(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(size));
      const std::uint64_t nanos[] = {0, 1, 150'000, PacedParser::kNoLimit};
      status = parser.write(chunk, nanos[random() % 4]);
      rest.remove_prefix(size);
    }
    EXPECT(seriesdb::test::sameOutcome(finished(parser, status), expected));
    EXPECT(!parser.isWaiting());
  }
}

TEST("a turn ends at its time limit, and the waiting bytes are counted") {
  Fixture fixture;
  const std::string body = linesOf(20'000);
  REQUIRE(body.size() > 600'000);
  int looks = 0;
  // Every step takes a millisecond, so that steps shrink to the minimum.
  auto parser = pacedBy(fixture, [&] { return static_cast<std::uint64_t>(++looks) * 1'000'000; });
  REQUIRE(parser.write(asBytes(body), 2'000'000).ok());
  EXPECT(looks == 3);
  EXPECT(parser.isWaiting());
  EXPECT(parser.memoryBytes() > body.size() - 32'768);
  int turns = 1;
  for (; parser.isWaiting(); ++turns) {
    looks = 0;
    REQUIRE(parser.write({}, 2'000'000).ok());
    EXPECT(looks <= 3);
  }
  EXPECT(turns > 50);
  EXPECT(finished(parser, {}).staged.refs.size() == 20'000);
}

TEST("a turn without time keeps all bytes, and an error drops the waiting ones") {
  Fixture fixture;
  auto parser = pacedBy(fixture, stepsOf(1));
  REQUIRE(parser.write(asBytes("no record\n"), 0).ok());
  REQUIRE(parser.write(asBytes(linesOf(1000)), 0).ok());
  EXPECT(parser.isWaiting());
  EXPECT(parser.memoryBytes() > 20'000);
  const Status status = parser.write({}, 1);
  EXPECT(status.code() == StatusCode::kInvalidJson);
  EXPECT(!parser.isWaiting());
  EXPECT(parser.memoryBytes() < 20'000);
}

// A buffered body is parsed in one call, so a line of it may outgrow the memory reserved at first.
TEST("scratch memory of a long line is requested before parsing, also if the whole line waited") {
  const std::string line = "{\"metric\":\"m\",\"labels\":{\"a\":\"" + std::string(1 << 20, 'x') +
                           "\"},\"ts\":1,\"value\":1}";
  IngestOptions options;
  options.limits.lineSizeMax = std::size_t{4} << 20;
  for (const bool isEnded : {true, false}) {
    for (const bool isRefused : {true, false}) {
      Fixture fixture;
      std::size_t mostAsked = 0;
      const auto admit = [&](std::size_t bytes) -> Status {
        mostAsked = std::max(mostAsked, bytes);
        if (!isRefused || bytes < 48 * line.size() - (48 << 16)) return {};
        return {StatusCode::kBackpressure, "no room"};
      };
      PacedParser parser(makeNdjsonParser(*fixture.state, options), stepsOf(1), admit);
      const std::string body = isEnded ? line + '\n' : line;
      EXPECT(parser.write(asBytes(body), 0).ok());
      const Outcome outcome = finished(parser, Status());
      const bool isOver = outcome.code == StatusCode::kBackpressure;
      EXPECT(isOver == isRefused);
      EXPECT(mostAsked > 45 * line.size());
    }
  }
}
