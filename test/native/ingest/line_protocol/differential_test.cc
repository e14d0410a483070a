// The frame cache and the slow path agree on good lines, mutated lines, and any split into chunks.
#include <random>
#include <string>
#include <vector>

#include "harness.h"
#include "ingest/ingest_fixture.h"
#include "ingest/line_protocol/line_protocol_parser.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

using Random = std::mt19937_64;

std::string randomValue(Random& random) {
  static const char* const kOdd[] = {"-0",
                                     "1.",
                                     ".5",
                                     "+1",
                                     "007",
                                     "1e3",
                                     "1e309",
                                     "1e-400",
                                     "NaN",
                                     "t",
                                     "F",
                                     "true",
                                     "False",
                                     "\"text\"",
                                     "\"a\nb\"",
                                     "\"\\\"\"",
                                     "5t",
                                     "5n",
                                     "0xffi",
                                     "-1u",
                                     "-0i",
                                     "1.5i",
                                     "",
                                     "9007199254740993",
                                     "9007199254740993i",
                                     "18446744073709551615u",
                                     "9223372036854775808i",
                                     "123456789012345678901234567890"};
  if (random() % 25 == 0) return oneOf(random, kOdd);
  switch (random() % 5) {
    case 0:
      return std::to_string(static_cast<double>(random() % 1000000) / 1000);
    case 1:
      return std::to_string(static_cast<int>(random() % 1000) - 300) + "i";
    case 2:
      return std::to_string(random() % 1000) + "u";
    case 3:
      return random() % 2 == 0 ? "t" : "false";
    default:
      return std::to_string(random() % (random() % 2 == 0 ? 100 : 100000000));
  }
}

// A line of one of a few dozen series, sometimes with another spelling.
std::string randomLine(Random& random) {
  static const char* const kNames[] = {"cpu", "mem\\ used", "größe", "a\\,b", "q\"x"};
  static const char* const kFields[] = {"value", "user", "system", "a\\ b", "\"q\"", "user"};
  static const char* const kTags[] = {",empty=", ",z\\=1=\\ x", ",b=\"", ",host=twice", ",k=v\\\\"};
  std::string line = oneOf(random, kNames);
  line += ",host=h" + std::to_string(random() % 12);
  if (random() % 4 == 0) line += ",cpu=" + std::to_string(random() % 3);
  if (random() % 15 == 0) line += oneOf(random, kTags);
  line += random() % 30 == 0 ? "  " : " ";
  const auto count = 1 + random() % 4;
  const auto first = random() % 3;
  for (std::size_t i = 0; i < count; ++i) {
    line += std::string(i > 0 ? "," : "") + kFields[(first + i) % 6] + "=" + randomValue(random);
  }
  if (random() % 8 != 0) line += " " + std::to_string(1700000000000 + random() % 1000000);
  return line + (random() % 10 == 0 ? "\r" : "");
}

// Bytes that edits insert.
constexpr char kOddText[] = ",= \"\\0123456789.eEiutfn+-#\t\r\n\0x\x80\xff";
constexpr std::string_view kOddBytes(kOddText, sizeof kOddText - 1);

std::string randomBody(Random& random, std::size_t lineCount, unsigned mutationRate) {
  const LineMaker maker{randomLine, kOddBytes, "# a \"comment\n"};
  return makeBody(random, maker, lineCount, mutationRate);
}

IngestOptions randomOptions(Random& random) {
  IngestOptions options;
  options.isLenient = random() % 4 != 0;
  options.now = 1700000400000;
  if (random() % 4 == 0) options.limits.lineSizeMax = 30 + random() % 60;
  if (random() % 8 == 0) options.limits.bodySizeMax = random() % 4000;
  if (random() % 4 == 0) options.conversion.multiply = random() % 2 == 0 ? 1000 : 1000000;
  if (random() % 4 == 0 && options.conversion.multiply == 1) options.conversion.divide = 1000;
  if (random() % 6 == 0) options.tsMax = 1700000500000;
  if (random() % 4 == 0) options.separator = "_";
  if (random() % 4 == 0) options.labels = {{"db", random() % 2 == 0 ? "x" : "y"}};
  return options;
}

TEST("parsing with and without the frame cache agrees on good and on mutated lines") {
  Random random(seed());
  Fixture fixture{makeLineProtocolParser};
  for (int round = 0; round < rounds(1500); ++round) {
    const auto body = randomBody(random, 200, round % 3 == 0 ? 0 : 4 + round % 20);
    if (round % 4 == 0) fixture.createAll(body);
    const auto options = randomOptions(random);
    const auto fast = fixture.parse(body, options);
    const auto again = fixture.parseIn(1 + random() % 3000, body, options);
    const auto slow = fixture.parseSlowly(body, options);
    EXPECT(sameOutcome(fast, slow));
    EXPECT(sameOutcome(again, slow));
  }
}

TEST("parsing with and without the frame cache agrees after a change of any byte") {
  Random random(seed() + 1);
  Fixture fixture{makeLineProtocolParser};
  IngestOptions lenient;
  lenient.isLenient = true;
  for (int round = 0; round < rounds(40); ++round) {
    const auto body = randomBody(random, 12, 0);
    fixture.createAll(body);
    fixture.parse(body, lenient);
    for (std::size_t at = 0; at < body.size(); ++at) {
      auto changed = body;
      static constexpr char kBytes[] = ",= \"\\0.eiut-#\n\r\x80";
      changed[at] = kBytes[random() % (sizeof kBytes - 1)];
      EXPECT(sameOutcome(fixture.parse(changed, lenient), fixture.parseSlowly(changed, lenient)));
    }
  }
}

TEST("a body cut in two anywhere, or read byte by byte, gives the same result") {
  Random random(seed() + 2);
  Fixture fixture{makeLineProtocolParser};
  for (int round = 0; round < 12; ++round) {
    const auto body = randomBody(random, 8, round % 2 == 0 ? 0 : 3);
    fixture.createAll(body);
    const auto options = randomOptions(random);
    const auto whole = fixture.parseSlowly(body, options);
    for (std::size_t size = 1; size < body.size(); ++size) {
      EXPECT(sameOutcome(fixture.parseIn(size, body, options), whole));
    }
  }
}

TEST("batched lookups find lines in random order, beside NDJSON lines of the same state") {
  Random random(seed() + 3);
  Fixture fixture{makeLineProtocolParser};
  for (int round = 0; round < rounds(40); ++round) {
    std::string body;
    std::string json;
    for (int i = 0; i < 2000; ++i) {
      const auto host = std::to_string(random() % 300);
      std::string one = "m,host=h" + host + " value=" + randomValue(random) + " 17" + host;
      if (random() % 50 == 0) mutate(random, kOddBytes, one);
      body += one + (random() % 50 == 0 ? "\r\n" : "\n");
      json += "{\"metric\":\"m\",\"labels\":{\"host\":\"h" + host + "\"},\"ts\":1,\"value\":2}\n";
    }
    if (round % 2 == 0) fixture.createAll(body);
    const auto options = randomOptions(random);
    EXPECT(sameOutcome(fixture.parse(body, options), fixture.parseSlowly(body, options)));
    EXPECT(sameOutcome(parseText(*fixture.state, json), parseText(*fixture.slowState, json)));
  }
}

}  // namespace
