#include "ingest/remote_write/second_version.h"

#include "harness.h"
#include "ingest/ingest_fixture.h"
#include "ingest/remote_write/remote_write_parser.h"
#include "ingest/remote_write/request_writer.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

constexpr auto kInvalid = StatusCode::kInvalidRecord;

IngestOptions lenient() {
  IngestOptions options;
  options.isLenient = true;
  return options;
}

std::string errorOf(const MessageWriter& request) {
  Fixture fixture{makeSecondVersionParser};
  const auto outcome = fixture.parse(asText(request.bytes()), lenient());
  EXPECT(outcome.code == kInvalid);
  return outcome.message;
}

// A series of one sample with these references to texts.
MessageWriter seriesOf(std::initializer_list<std::uint64_t> refs) {
  ByteBuffer packed;
  for (const auto ref : refs) appendVarint(packed, ref);
  MessageWriter series;
  series.addText(1, asText(packed));
  series.addMessage(2, sampleMessage({1, 2}));
  return series;
}

MessageWriter requestWith(std::initializer_list<const char*> symbols, const MessageWriter& series) {
  MessageWriter request;
  for (const char* symbol : symbols) request.addText(4, symbol);
  request.addMessage(5, series);
  return request;
}

MessageWriter metadataOf(std::uint64_t kind, std::uint64_t help) {
  MessageWriter metadata;
  metadata.addVarint(1, kind);
  metadata.addVarint(3, help);
  return metadata;
}

}  // namespace

TEST("an undefined symbol, half a label and a nonempty first symbol refuse the whole request") {
  const char* const damaged = "series 1: the message is damaged";
  EXPECT(errorOf(requestWith({"", "__name__", "a"}, seriesOf({1, 3}))) == damaged);
  EXPECT(errorOf(requestWith({"", "__name__", "a"}, seriesOf({1, 2, 0}))) == damaged);
  EXPECT(errorOf(requestWith({}, seriesOf({0, 0}))) == damaged);
  EXPECT(errorOf(requestWith({"a"}, seriesOf({0, 0}))) ==
         "the first symbol is not an empty string");
  MessageWriter series = seriesOf({1, 2});
  series.addMessage(5, metadataOf(1, 9));
  EXPECT(errorOf(requestWith({"", "__name__", "a"}, series)) == damaged);
  MessageWriter late = requestWith({"", "__name__", "a"}, seriesOf({1, 3}));
  late.addText(4, "b");
  EXPECT(errorOf(late) == damaged);
}

TEST("a request of one version sent as the other is refused") {
  const std::vector<SentSeries> all{{{{"__name__", "a"}}, {{1, 2}}}};
  Fixture first{makeRemoteWriteParser};
  const auto outcome = first.parse(secondRequestOf(all), lenient());
  EXPECT(outcome.code == kInvalid);
  EXPECT(outcome.message == "the body is a version 2.0 request, but its Content-Type means 1.0");
  Fixture second{makeSecondVersionParser};
  EXPECT(second.parse(requestOf(all), lenient()).message ==
         "the body is not a version 2.0 Request");
}

TEST("metadata of a series is stored once for the whole family") {
  Fixture fixture{makeSecondVersionParser};
  MessageWriter series = seriesOf({1, 2});
  series.addMessage(5, metadataOf(3, 3));
  MessageWriter request = requestWith({"", "__name__", "h_bucket", "How long."}, series);
  request.addMessage(5, series);
  const auto outcome = fixture.parse(asText(request.bytes()), lenient());
  REQUIRE(outcome.code == StatusCode::kOk);
  EXPECT(outcome.staged.refs.size() == 2);
  // The descriptors of h, h_bucket, h_sum and h_count.
  EXPECT(outcome.staged.pendingDescriptors.size() == 4);
}

TEST("a small body whose symbols expand past the body limit is refused") {
  Fixture fixture{makeSecondVersionParser};
  const std::string text(10'000, 'x');
  MessageWriter request = requestWith({"", "__name__", text.c_str()}, seriesOf({1, 1}));
  for (int i = 0; i < 1000; ++i) request.addMessage(5, seriesOf({1, 2}));
  IngestOptions options = lenient();
  options.limits.bodySizeMax = 100'000;
  EXPECT(request.size() < options.limits.bodySizeMax);
  EXPECT(fixture.parse(asText(request.bytes()), options).code == StatusCode::kPayloadTooLarge);
}
