// Random requests against a naive reader. Known series mean the same as new ones, and both readers
// agree on any mutation or split.
#include <random>

#include "harness.h"
#include "ingest/otlp/otlp_parser.h"
#include "ingest/otlp/request_maker.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

using Random = std::mt19937_64;
constexpr std::uint64_t kTime = RequestMaker::kTime;

IngestOptions lenientOptions() {
  IngestOptions options;
  options.isLenient = true;
  options.conversion = {1, 1'000'000};
  return options;
}

IngestOptions randomOptions(Random& random) {
  IngestOptions options = lenientOptions();
  options.isLenient = random() % 4 != 0;
  if (random() % 3 == 0) options.tsMax = static_cast<Timestamp>(kTime / 1'000'000 + 500);
  if (random() % 3 == 0) options.conversion = {1, 1000};
  if (random() % 4 == 0) options.required = {{"job", "s1"}};
  if (random() % 6 == 0) options.limits.bodySizeMax = random() % 3000;
  options.otlp.escapesNames = random() % 3 == 0;
  options.otlp.storesDelta = random() % 2 == 0;
  options.otlp.labelsScope = random() % 2 == 0;
  if (random() % 2 == 0) options.otlp.resourceLabels = {random() % 2 == 0 ? "*" : "os"};
  return options;
}

}  // namespace

TEST("random OTLP requests give the rows that a naive reader finds, known or not") {
  Random random(seed());
  Fixture fixture{makeOtlpParser};
  for (int round = 0; round < rounds(300); ++round) {
    const RandomRequest request = RequestMaker(random).make();
    const std::string body = otlpRequest(request.resources);
    for (int again = 0; again < 3; ++again) {
      const auto outcome = fixture.parse(body, lenientOptions());
      REQUIRE(outcome.code == StatusCode::kOk);
      REQUIRE(rowsOf(fixture, outcome.staged) == request.rows);
      EXPECT(rejectedCountOf(outcome.staged.rejected) == request.rejected);
      fixture.commit(outcome);
    }
  }
}

TEST("mutated OTLP requests give the same result cached or not, however they are cut") {
  Random random(seed() + 1);
  for (int round = 0; round < rounds(60); ++round) {
    Fixture fixture{makeOtlpParser};
    const std::string body = otlpRequest(RequestMaker(random).make().resources);
    fixture.commit(fixture.parseSlowly(body, lenientOptions()));
    for (int change = 0; change < 40; ++change) {
      std::string changed = body;
      if (change > 1) mutateBytes(random, changed);
      const auto options = randomOptions(random);
      const auto slow = fixture.parseSlowly(changed, options);
      EXPECT(sameOutcome(fixture.parse(changed, options), slow));
      EXPECT(sameOutcome(fixture.parseIn(1 + random() % 90, changed, options), slow));
    }
  }
}
