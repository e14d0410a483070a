// The frame cache and the slow path agree on good lines, mutated lines, and any split into chunks.
#include <random>
#include <string>
#include <vector>

#include "harness.h"
#include "ingest/ingest_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

using Random = std::mt19937_64;

std::string randomNumber(Random& random) {
  static const char* const kOdd[] = {"-0",
                                     "0",
                                     "1e309",
                                     "1e-400",
                                     "01",
                                     "1.",
                                     "-",
                                     "1e3",
                                     "1.0",
                                     "-0.0",
                                     "null",
                                     "\"1\"",
                                     "true",
                                     "{}",
                                     "9223372036854775807",
                                     "9223372036854775808",
                                     "9007199254740993",
                                     "-9007199254740994",
                                     "0.30000000000000004",
                                     "123456789012345678901234567890",
                                     "0.1000000000000000055511151231257827021181583404541015625"};
  if (random() % 60 == 0) return oneOf(random, kOdd);
  if (random() % 3 == 0) return std::to_string(static_cast<double>(random() % 1000000) / 1000);
  return std::to_string(random() % (random() % 2 == 0 ? 100 : 100000000));
}
std::string randomTs(Random& random) {
  if (random() % 60 == 0) return randomNumber(random);
  return std::to_string(1700000000000 + random() % 1000000);
}

// A line of one of a few dozen series, sometimes with another spelling.
std::string randomLine(Random& random) {
  static const char* const kMetrics[] = {"cpu", "mem.used", "\\u0063pu", "größe", "dup"};
  static const char* const kFields[] = {"user", "system", "idle", "a\\\"b"};
  static const char* const kExtra[] = {",\"seq\":1",
                                       ",\"kind\":\"gauge\"",
                                       ",\"unit\":\"s\"",
                                       ",\"kind\":\"counter\"",
                                       ",\"note\":\"a \\\"ts\\\":1\"",
                                       ",\"deep\":[[1,{\"a\":2}]]",
                                       ",\"ts\":5",
                                       ",\"value\":null",
                                       ",\"tags\":7",
                                       ",\"labels\":null",
                                       ",\"kind\":\"odd\""};
  const std::string space = random() % 6 == 0 ? " " : "";
  const bool isLegacy = random() % 5 == 0;
  std::string labels = "\"host\":\"h" + std::to_string(random() % 12) + "\"";
  if (random() % 4 == 0) labels += ",\"cpu\":" + std::to_string(random() % 3);
  if (random() % 20 == 0) labels += ",\"none\":null,\"ok\":true";
  if (random() % 40 == 0) labels += ",\"host\":\"again\"";
  std::string head = std::string(isLegacy ? "\"series\":" : "\"metric\":") + space + "\"" +
                     oneOf(random, kMetrics) + "\"" + space + "," +
                     (isLegacy ? "\"tags\":{" : "\"labels\":{") + labels + "}";
  const std::string ts = "\"ts\":" + space + randomTs(random);
  std::string numbers;
  if (random() % 4 != 0) numbers += "\"value\":" + randomNumber(random);
  if (numbers.empty() || random() % 6 == 0) {
    if (!numbers.empty()) numbers += ",";
    numbers += "\"fields\":{";
    const auto count = random() % 4 + (random() % 8 == 0 ? 0 : 1);
    for (std::size_t i = 0; i < count; ++i) {
      numbers +=
          std::string(i > 0 ? "," : "") + "\"" + kFields[i % 4] + "\":" + randomNumber(random);
    }
    numbers += "}";
  }
  std::string line = "{";
  switch (random() % 3) {
    case 0:
      line += ts + "," + head + "," + numbers;
      break;
    case 1:
      line += head + "," + numbers + space + "," + ts;
      break;
    default:
      line += head + "," + ts + "," + numbers;
      break;
  }
  if (random() % 8 == 0) line += oneOf(random, kExtra);
  return line + "}" + (random() % 10 == 0 ? "\r" : "");
}

// Bytes that edits insert.
constexpr char kOddText[] = "{}[]\",:\\0123456789.eE+- \t\r\n\0tsvx\x80\xff";
constexpr std::string_view kOddBytes(kOddText, sizeof kOddText - 1);

std::string randomBody(Random& random, std::size_t lineCount, unsigned mutationRate) {
  const LineMaker maker{randomLine, kOddBytes, " \r\n"};
  return makeBody(random, maker, lineCount, mutationRate);
}

IngestOptions randomOptions(Random& random) {
  IngestOptions options;
  options.isLenient = random() % 4 != 0;
  if (random() % 4 == 0) options.limits.lineSizeMax = 60 + random() % 100;
  if (random() % 8 == 0) options.limits.bodySizeMax = random() % 4000;
  if (random() % 4 == 0) options.conversion.multiply = random() % 2 == 0 ? 1000 : 1000000;
  if (random() % 4 == 0 && options.conversion.multiply == 1) options.conversion.divide = 1000;
  if (random() % 6 == 0) options.tsMax = 1700000500000;
  return options;
}

TEST("parsing with and without the frame cache agrees on good and on mutated lines") {
  Random random(seed());
  Fixture fixture;
  for (int round = 0; round < rounds(1500); ++round) {
    const auto body = randomBody(random, 200, round % 3 == 0 ? 0 : 4 + round % 20);
    if (round % 4 == 0) fixture.createAll(body);
    const auto options = randomOptions(random);
    const auto fast = parseText(*fixture.state, body, options);
    const auto again = parseChunks(*fixture.state, body, options, 1 + random() % 3000);
    const auto slow = parseText(*fixture.slowState, body, options);
    EXPECT(sameOutcome(fast, slow));
    EXPECT(sameOutcome(again, slow));
  }
}

// The line is known, and would be accepted at once if it were not too long.
TEST("an integer that no double equals is not counted if its line is refused") {
  Fixture fixture;
  const std::string body =
      R"({"metric":"cpu","labels":{"host":"a"},"ts":1,"value":9007199254740993})"
      "\n";
  const std::string padding(200, '\n');
  IngestOptions options;
  options.isLenient = true;
  fixture.createAll(body);
  for (int round = 0; round < 3; ++round) {
    EXPECT(parseText(*fixture.state, body + body + padding, options).staged.inexactCount == 2);
  }
  options.limits.lineSizeMax = body.size() - 2;
  const auto refused = parseText(*fixture.state, body + body + padding, options);
  EXPECT(refused.staged.rejected.size() == 2 && refused.staged.inexactCount == 0);
}

TEST("parsing with and without the frame cache agrees after a change of any byte") {
  Random random(seed() + 1);
  Fixture fixture;
  IngestOptions lenient;
  lenient.isLenient = true;
  for (int round = 0; round < rounds(30); ++round) {
    const auto body = randomBody(random, 12, 0);
    fixture.createAll(body);
    parseText(*fixture.state, body, lenient);
    for (std::size_t at = 0; at < body.size(); ++at) {
      auto changed = body;
      static constexpr char kBytes[] = "{}\",:0.e- \n\\x\x80";
      changed[at] = kBytes[random() % (sizeof kBytes - 1)];
      const auto fast = parseText(*fixture.state, changed, lenient);
      const auto slow = parseText(*fixture.slowState, changed, lenient);
      EXPECT(sameOutcome(fast, slow));
    }
  }
}

TEST("batched lookups find lines in random order, among bad and unknown ones") {
  Random random(seed() + 4);
  Fixture fixture;
  for (int round = 0; round < rounds(40); ++round) {
    std::string body;
    for (int i = 0; i < 3000; ++i) {
      std::string one = "{\"metric\":\"m\",\"labels\":{\"host\":\"h" +
                        std::to_string(random() % 500) + "\"},\"ts\":" + randomTs(random) +
                        ",\"value\":" + randomNumber(random) + "}";
      if (random() % 50 == 0) mutate(random, kOddBytes, one);
      body += one + (random() % 50 == 0 ? "\r\n" : "\n");
    }
    if (round % 2 == 0) fixture.createAll(body);
    const auto options = randomOptions(random);
    const auto slow = parseText(*fixture.slowState, body, options);
    EXPECT(sameOutcome(parseText(*fixture.state, body, options), slow));
    EXPECT(sameOutcome(parseChunks(*fixture.state, body, options, 1 + random() % 5000), slow));
  }
}

TEST("a body cut in two anywhere, or read byte by byte, gives the same result") {
  Random random(seed() + 2);
  Fixture fixture;
  for (int round = 0; round < 12; ++round) {
    const auto body = randomBody(random, 8, round % 2 == 0 ? 0 : 5);
    fixture.createAll(body);
    const auto options = randomOptions(random);
    const auto whole = parseText(*fixture.slowState, body, options);
    EXPECT(sameOutcome(parseChunks(*fixture.state, body, options, 1), whole));
    for (std::size_t cut = 1; cut < body.size(); ++cut) {
      // Chunks of `cut` bytes have a boundary there, and at its multiples.
      EXPECT(sameOutcome(parseChunks(*fixture.state, body, options, cut), whole));
    }
  }
}

TEST("a small cache that overflows changes no result, and requests may interleave") {
  Random random(seed() + 3);
  Fixture fixture;
  const auto tiny = ParserState::make(fixture.indexes, 40'000);
  const auto body = [&] {
    std::string text;
    for (int i = 0; i < 12'000; ++i) {
      text += "{\"metric\":\"m\",\"unique\":\"" + std::to_string(random() % 100'000) +
              "\",\"ts\":" + std::to_string(i) + ",\"value\":" + std::to_string(random() % 100) +
              "}\n";
    }
    return text;
  }();
  fixture.ingest("{\"metric\":\"m\",\"ts\":1,\"value\":1}");
  const auto expected = parseText(*fixture.slowState, body);
  const auto one = makeNdjsonParser(*tiny, {});
  const auto other = makeNdjsonParser(*tiny, {});
  for (std::size_t at = 0; at < body.size(); at += 1000) {
    const auto piece = asBytes(std::string_view(body).substr(at, 1000));
    EXPECT(one->write(piece).ok());
    EXPECT(other->write(piece).ok());
  }
  EXPECT(one->finish().ok());
  EXPECT(other->finish().ok());
  EXPECT(sameStaged(one->take(), expected.staged));
  EXPECT(sameStaged(other->take(), expected.staged));
}

}  // namespace
