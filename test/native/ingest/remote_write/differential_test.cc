// Random requests against a naive reader. Known series mean the same as new ones, and both readers
// agree on any mutation or split.
#include <map>
#include <random>

#include "harness.h"
#include "ingest/ingest_fixture.h"
#include "ingest/remote_write/remote_write_parser.h"
#include "ingest/remote_write/request_writer.h"
#include "ingest/remote_write/second_version.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

using Random = std::mt19937_64;

double randomValue(Random& random) {
  if (random() % 10 == 0) return std::bit_cast<double>(std::uint64_t{0x7ff0000000000002});
  if (random() % 10 == 0) return 0;
  return std::bit_cast<double>(random() >> random() % 3);
}

SentSeries randomSeries(Random& random) {
  SentSeries series;
  if (random() % 30 != 0) {
    series.labels.emplace_back("__name__", "m" + std::to_string(random() % 4));
  }
  for (const char* key : {"host", "job", "zone"}) {
    if (random() % 4 == 0) continue;
    series.labels.emplace_back(key, random() % 9 == 0 ? "" : std::to_string(random() % 5));
  }
  if (random() % 20 == 0) series.labels.emplace_back("host", "twice");
  if (random() % 5 == 0) std::shuffle(series.labels.begin(), series.labels.end(), random);
  const std::size_t count = random() % 5 == 0 ? random() % 20 : 1;
  for (std::size_t i = 0; i < count; ++i) {
    const auto ts = static_cast<std::int64_t>(random() % 100'000) - 10;
    series.samples.push_back({randomValue(random), ts});
  }
  return series;
}

std::vector<SentSeries> randomSeriesList(Random& random) {
  std::vector<SentSeries> all(random() % 60);
  for (auto& series : all) series = randomSeries(random);
  return all;
}

using Identity = std::pair<std::string, std::map<std::string, std::string>>;
struct Row {
  Identity series;
  std::int64_t ts;
  std::uint64_t bits;
  bool operator==(const Row&) const = default;
};
struct Meaning {
  std::vector<Row> rows;
  std::uint64_t rejected = 0;
  bool operator==(const Meaning&) const = default;
};

Meaning meaningOf(const std::vector<SentSeries>& all) {
  Meaning meaning;
  for (const auto& series : all) {
    Identity identity;
    bool isGood = true;
    for (const auto& [key, value] : series.labels) {
      if (!value.empty()) isGood = identity.second.emplace(key, value).second && isGood;
    }
    const auto name = identity.second.find("__name__");
    if (name == identity.second.end() || !isGood) {
      meaning.rejected += series.samples.size();
      continue;
    }
    identity.first = name->second;
    identity.second.erase(name);
    for (const auto& sample : series.samples) {
      meaning.rows.push_back({identity, sample.ts, std::bit_cast<std::uint64_t>(sample.value)});
    }
  }
  return meaning;
}

Meaning meaningOf(Fixture& fixture, const StagedSamples& staged) {
  Meaning meaning;
  const auto index = fixture.indexes.current();
  for (std::size_t i = 0; i < staged.refs.size(); ++i) {
    Identity identity;
    const auto take = [&identity](const auto& series) {
      identity.first = series.name;
      for (const auto& [key, value] : series.labels) identity.second[key] = value;
    };
    if ((staged.refs[i] & kPendingBit) != 0) {
      take(staged.pendingSeries[staged.refs[i] & ~kPendingBit]);
    } else {
      take(index->definition(staged.refs[i]));
    }
    meaning.rows.push_back(
        {identity, staged.ts[i], std::bit_cast<std::uint64_t>(staged.values[i])});
  }
  meaning.rejected = rejectedCountOf(staged.rejected);
  return meaning;
}

IngestOptions randomOptions(Random& random) {
  IngestOptions options;
  options.isLenient = random() % 4 != 0;
  if (random() % 3 == 0) options.tsMax = 50'000;
  if (random() % 3 == 0) options.conversion = {1, 1000};
  if (random() % 4 == 0) options.conversion = {1'000'000, 1};
  if (random() % 4 == 0) options.required = {{"job", "3"}};
  if (random() % 6 == 0) options.limits.bodySizeMax = random() % 3000;
  return options;
}

}  // namespace

TEST("random requests give the samples that a naive reader finds, known or not") {
  Random random(seed());
  Fixture fixture{makeRemoteWriteParser};
  IngestOptions lenient;
  lenient.isLenient = true;
  for (int round = 0; round < rounds(300); ++round) {
    const auto all = randomSeriesList(random);
    const std::string body = requestOf(all);
    const Meaning expected = meaningOf(all);
    for (int again = 0; again < 3; ++again) {
      const auto outcome = fixture.parse(body, lenient);
      REQUIRE(outcome.code == StatusCode::kOk);
      EXPECT(meaningOf(fixture, outcome.staged) == expected);
      fixture.commit(outcome);
    }
  }
}

TEST("mutated requests give the same result with and without cached series") {
  Random random(seed() + 1);
  for (int round = 0; round < rounds(60); ++round) {
    Fixture fixture{makeRemoteWriteParser};
    const std::string body = requestOf(randomSeriesList(random));
    fixture.createAll(body);
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

TEST("a request cut in two anywhere, or read byte by byte, gives the same result") {
  Random random(seed() + 2);
  Fixture fixture{makeRemoteWriteParser};
  for (int round = 0; round < 8; ++round) {
    std::string body = requestOf(randomSeriesList(random));
    fixture.createAll(body);
    if (round % 2 == 1) mutateBytes(random, body);
    const auto options = randomOptions(random);
    const auto whole = fixture.parseSlowly(body, options);
    for (std::size_t size = 1; size < body.size(); size += 1 + size / 40) {
      EXPECT(sameOutcome(fixture.parseIn(size, body, options), whole));
    }
  }
}

TEST("a request of version 2.0 gives the same result as one of 1.0, known or not") {
  Random random(seed());
  Fixture first{makeRemoteWriteParser};
  Fixture second{makeSecondVersionParser};
  for (int round = 0; round < rounds(300); ++round) {
    const auto all = randomSeriesList(random);
    IngestOptions options = randomOptions(random);
    options.limits.bodySizeMax = 100'000;
    const std::string body = requestOf(all);
    const std::string symbols = secondRequestOf(all);
    for (int again = 0; again < 2; ++again) {
      const auto expected = first.parse(body, options);
      const auto outcome = second.parse(symbols, options);
      REQUIRE(sameOutcome(outcome, expected));
      if (expected.code != StatusCode::kOk) break;
      first.commit(expected);
      second.commit(outcome);
    }
  }
}

TEST("requests of version 2.0, mutated or not, give the same result however they are cut") {
  Random random(seed());
  Fixture fixture{makeSecondVersionParser};
  for (int round = 0; round < rounds(500); ++round) {
    std::string body = secondRequestOf(randomSeriesList(random));
    if (random() % 3 != 0) mutateBytes(random, body);
    const IngestOptions options = randomOptions(random);
    const auto whole = fixture.parse(body, options);
    const std::size_t size = 1 + random() % (random() % 2 == 0 ? 10 : 1000);
    const auto cut = parseChunks(*fixture.state, body, options, size, makeSecondVersionParser);
    REQUIRE(sameOutcome(cut, whole));
    if (whole.code == StatusCode::kOk) fixture.commit(whole);
  }
}
