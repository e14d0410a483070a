// Lines and bodies: sizes, newlines, line numbers, lenient mode.
#include <string>

#include "harness.h"
#include "ingest/ingest_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

using enum StatusCode;

const std::string kGood = "{\"metric\":\"m\",\"ts\":1,\"value\":1}";

std::string lineOfSize(std::size_t size) {
  auto text = kGood;
  return text.insert(1, size - text.size(), ' ');
}

TEST("the largest line is accepted and one byte more is refused, in any chunking") {
  Fixture fixture;
  const IngestOptions options;
  const auto sizeMax = options.limits.lineSizeMax;
  for (const std::size_t chunkSize :
       {SIZE_MAX, std::size_t{1}, std::size_t{1000}, sizeMax, sizeMax + 1}) {
    for (const char* end : {"", "\n", "\r\n"}) {
      const auto fit = parseChunks(*fixture.state, lineOfSize(sizeMax) + end, options, chunkSize);
      EXPECT(fit.code == kOk && fit.staged.refs.size() == 1);
      const auto text = kGood + "\n" + lineOfSize(sizeMax + 1) + end;
      const auto past = parseChunks(*fixture.state, text, options, chunkSize);
      EXPECT(past.code == kLineTooLong && past.message.starts_with("line 2: "));
    }
  }
}

TEST("the line limit holds on lines that the frame cache knows") {
  Fixture fixture;
  fixture.ingest(lineOfSize(100));
  std::string text;
  for (int i = 0; i < 10; ++i) text += lineOfSize(100) + "\n";
  EXPECT(fixture.codeOf(text) == kOk);
  IngestOptions options;
  options.limits.lineSizeMax = 100;
  EXPECT(fixture.codeOf(text, options) == kOk);
  options.limits.lineSizeMax = 99;
  EXPECT(fixture.codeOf(text, options) == kLineTooLong);
}

TEST("an endless line is refused in bounded memory") {
  Fixture fixture;
  for (const bool isLenient : {false, true}) {
    IngestOptions options;
    options.isLenient = isLenient;
    const auto parser = makeNdjsonParser(*fixture.state, options);
    const std::string piece(10'000, 'x');
    Status status;
    for (int i = 0; i < 1000; ++i) status = parser->write(asBytes(piece));
    EXPECT(parser->memoryBytes() < 4 * options.limits.lineSizeMax);
    EXPECT(status.code() == (isLenient ? kOk : kLineTooLong));
  }
}

TEST("the largest body is accepted and one byte more is refused, also in a lenient request") {
  Fixture fixture;
  const auto text = kGood + "\n" + kGood + "\n";
  for (const bool isLenient : {false, true}) {
    for (const std::size_t chunkSize : {SIZE_MAX, std::size_t{1}, std::size_t{7}}) {
      IngestOptions options;
      options.isLenient = isLenient;
      options.limits.bodySizeMax = text.size();
      EXPECT(parseChunks(*fixture.state, text, options, chunkSize).code == kOk);
      options.limits.bodySizeMax = text.size() - 1;
      const auto past = parseChunks(*fixture.state, text, options, chunkSize);
      EXPECT(past.code == kPayloadTooLarge && past.message.starts_with("line 2: "));
    }
  }
}

TEST(
    "blank lines are skipped but numbered; the last line needs no newline; an empty body is fine") {
  Fixture fixture;
  auto outcome = fixture.parse("\n\r\n  \t\r\n" + kGood + "\r\n\n" + kGood);
  EXPECT(outcome.code == kOk && outcome.staged.refs.size() == 2 && outcome.staged.lineCount == 2);
  outcome = fixture.parse("\n \n" + kGood + "\nx\n");
  EXPECT(outcome.code == kInvalidJson && outcome.message.starts_with("line 4: "));
  outcome = fixture.parse("");
  EXPECT(outcome.code == kOk && outcome.staged.refs.empty() && outcome.staged.lineCount == 0);
  EXPECT(fixture.codeOf("\n\n \r") == kOk);
}

TEST("an error is final: later calls give it again") {
  Fixture fixture;
  const auto parser = makeNdjsonParser(*fixture.state, {});
  EXPECT(parser->write(asBytes("x\n")).code() == kInvalidJson);
  const auto again = parser->write(asBytes(kGood));
  EXPECT(again.code() == kInvalidJson && again.message().starts_with("line 1: "));
  EXPECT(parser->finish().code() == kInvalidJson);
}

TEST("a bad line of a lenient request is recorded, and none of its samples is stored") {
  Fixture fixture;
  IngestOptions options;
  options.isLenient = true;
  options.limits.lineSizeMax = 80;
  const auto text =
      "{\"metric\":\"new\",\"ts\":1,\"fields\":{\"a\":1,\"b\":null},\"unit\":\"s\"}\r\n" + kGood +
      "\nnonsense\n" + std::string(200, 'y') + "\n" + kGood;
  for (const std::size_t chunkSize : {SIZE_MAX, std::size_t{1}, std::size_t{33}}) {
    const auto outcome = parseChunks(*fixture.state, text, options, chunkSize);
    REQUIRE(outcome.code == kOk && outcome.staged.rejected.size() == 3);
    EXPECT(outcome.staged.refs.size() == 2 && outcome.staged.lineCount == 5);
    EXPECT(outcome.staged.pendingSeries.size() == 1 && outcome.staged.pendingDescriptors.empty());
    const auto& rejected = outcome.staged.rejected;
    EXPECT(rejected[0].line == 1 && rejected[0].code == kInvalidRecord);
    EXPECT(rejected[0].error.starts_with("line 1: ") && rejected[0].text.ends_with("\"s\"}"));
    EXPECT(rejected[1].line == 3 && rejected[1].code == kInvalidJson &&
           rejected[1].text == "nonsense");
    EXPECT(rejected[2].line == 4 && rejected[2].code == kLineTooLong);
    EXPECT(rejected[2].text == std::string(80, 'y'));
  }
}

TEST("a conflicting line of a lenient request is skipped, and the first descriptor stays") {
  Fixture fixture;
  IngestOptions options;
  options.isLenient = true;
  const std::string head = "{\"metric\":\"m\",\"ts\":1,\"value\":1,\"unit\":";
  const auto outcome = fixture.parse(head + "\"s\"}\n" + head + "\"ms\"}\n", options);
  REQUIRE(outcome.code == kOk && outcome.staged.pendingDescriptors.size() == 1);
  EXPECT(outcome.staged.refs.size() == 1 && outcome.staged.rejected[0].code == kDescriptorConflict);
  EXPECT(outcome.staged.pendingDescriptors[0].descriptor.unit == "s");
}

}  // namespace

TEST("too much text of names in a line is reported before a later fault of the line") {
  const auto lineOf = [](std::size_t metricSize, const std::string& last) {
    std::string text =
        "{\"metric\":\"" + std::string(metricSize, 'm') + "\",\"ts\":1,\"fields\":{";
    for (int i = 0; i < 4'999; ++i) text += "\"" + std::to_string(i) + "\":1,";
    return text + "\"4999\":" + last + "}}";
  };
  Fixture fixture;
  const auto outcome = fixture.parse(lineOf(249, "1e999"));
  // Each of the 5,000 names has 249 bytes, a dot, and 18,890 digits in total.
  EXPECT(outcome.code == kInvalidRecord);
  EXPECT(outcome.message.find("in total 1268890 bytes") != std::string::npos);
  EXPECT(fixture.parse(lineOf(10, "1e999")).message.find("too large for a double") !=
         std::string::npos);
  EXPECT(fixture.parse(lineOf(10, "1")).code == kOk);
}
