// The meaning of a remote_write request: names, labels, times, omitted fields, and the effect of
// one bad series on the others.
#include <bit>
#include <cmath>
#include <limits>

#include "harness.h"
#include "ingest/ingest_fixture.h"
#include "ingest/remote_write/remote_write_parser.h"
#include "ingest/remote_write/request_writer.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

constexpr auto kOk = StatusCode::kOk;
constexpr auto kInvalid = StatusCode::kInvalidRecord;
using Labels = std::vector<std::pair<std::string, std::string>>;

IngestOptions lenientOptions() {
  IngestOptions options;
  options.isLenient = true;
  return options;
}

Outcome parseOne(Fixture& fixture, const Labels& labels,
                 const IngestOptions& options = lenientOptions()) {
  return fixture.parse(requestOf({{labels, {{1, 2}}}}), options);
}

// The error of the only series.
std::string errorOf(const Labels& labels, const IngestOptions& options = lenientOptions()) {
  Fixture fixture{makeRemoteWriteParser};
  const auto outcome = parseOne(fixture, labels, options);
  EXPECT(outcome.code == kOk && outcome.staged.refs.empty());
  if (outcome.staged.rejected.size() != 1) return "it was not rejected";
  EXPECT(outcome.staged.rejected[0].code == kInvalid);
  return outcome.staged.rejected[0].error;
}

MessageWriter histogramMessage(double sum) {
  MessageWriter histogram;
  histogram.addVarint(1, 7);
  histogram.addDouble(3, sum);
  histogram.addSigned(4, -3);
  histogram.addText(11, "spans");
  histogram.addSigned(15, 5000);
  return histogram;
}

MessageWriter metadataMessage(std::uint64_t kind, const char* family, const char* help,
                              const char* unit) {
  MessageWriter metadata;
  metadata.addVarint(1, kind);
  metadata.addText(2, family);
  metadata.addText(4, help);
  metadata.addText(5, unit);
  return metadata;
}

std::string asRequest(std::uint32_t field, const MessageWriter& message) {
  MessageWriter request;
  request.addMessage(field, message);
  return std::string(asText(request.bytes()));
}

std::uint64_t skippedBy(const Outcome& outcome, SkipReason reason) {
  return outcome.staged.skipped[static_cast<std::size_t>(reason)];
}

}  // namespace

TEST("__name__ becomes the metric, and every other label stays byte for byte") {
  Fixture fixture{makeRemoteWriteParser};
  const auto outcome = parseOne(fixture, {{"__name__", "cpu:load"}, {"job", "größe \"x\"\n"}});
  REQUIRE(outcome.code == kOk && outcome.staged.rejected.empty());
  REQUIRE(outcome.staged.pendingSeries.size() == 1);
  EXPECT(outcome.staged.pendingSeries[0].name == "cpu:load");
  EXPECT(outcome.staged.pendingSeries[0].labels == Labels({{"job", "größe \"x\"\n"}}));
  EXPECT(outcome.staged.ts == std::vector<Timestamp>{2});
  EXPECT(outcome.staged.lineCount == 1);
}

TEST("labels are sorted, and labels with an empty value are left out") {
  Fixture fixture{makeRemoteWriteParser};
  const auto outcome =
      parseOne(fixture, {{"z", "1"}, {"a", ""}, {"__name__", "up"}, {"b", "2"}, {"z", ""}});
  REQUIRE(outcome.staged.pendingSeries.size() == 1);
  EXPECT(outcome.staged.pendingSeries[0].labels == Labels({{"b", "2"}, {"z", "1"}}));
  // The same series in another order of labels is the same series.
  const auto both =
      fixture.parse(requestOf({{{{"z", "1"}, {"__name__", "up"}, {"b", "2"}}, {{1, 1}}},
                               {{{"__name__", "up"}, {"b", "2"}, {"z", "1"}}, {{2, 2}}}}));
  EXPECT(both.staged.pendingSeries.size() == 1 && both.staged.refs.size() == 2);
}

TEST("an invalid label rejects its series, and the error shows the labels") {
  EXPECT(errorOf({{"job", "x"}}) == "{job=\"x\"}: the label __name__ is missing");
  EXPECT(errorOf({{"__name__", ""}, {"job", "x"}}).ends_with("the label __name__ is missing"));
  EXPECT(errorOf({}) == "{}: the label __name__ is missing");
  EXPECT(errorOf({{"__name__", "up"}, {"a", "1"}, {"a", "2"}}).ends_with("\"a\" occurs twice"));
  EXPECT(errorOf({{"__name__", "up"}, {"__name__", "up"}}).ends_with("occurs twice"));
  EXPECT(errorOf({{"__name__", "up"}, {"", "x"}}).ends_with("a label key is empty"));
  EXPECT(errorOf({{"__name__", "up"}, {"\xff", "x"}}) ==
         "{__name__=\"up\",?=\"x\"}: a label key is not UTF-8");
  EXPECT(errorOf({{"__name__", "up"}, {"a", "\xc3"}}).ends_with("label \"a\" is not UTF-8"));
  EXPECT(errorOf({{"__name__", "\xc3("}}).ends_with("not UTF-8"));
  EXPECT(errorOf({{"__name__", "up"}, {"a\tb", "x"}}).find("control") != std::string::npos);
  EXPECT(errorOf({{"__name__", std::string(256, 'n')}}).find("256 bytes") != std::string::npos);
  EXPECT(errorOf({{"__name__", "up"}, {std::string(256, 'k'), "x"}}).find("256 bytes") !=
         std::string::npos);
  EXPECT(errorOf({{"__name__", "up"}, {"a", std::string(17'000, 'v')}}).find("16384 bytes") !=
         std::string::npos);
  Fixture fixture{makeRemoteWriteParser};
  EXPECT(parseOne(fixture, {{"__name__", std::string(255, 'n')}}).staged.refs.size() == 1);
}

TEST("64 labels beside the name are accepted, and 65 refused") {
  Labels labels{{"__name__", "up"}};
  for (int i = 0; i < 64; ++i) labels.emplace_back("l" + std::to_string(i), "v");
  Fixture fixture{makeRemoteWriteParser};
  EXPECT(parseOne(fixture, labels).staged.refs.size() == 1);
  labels.emplace_back("one more", "v");
  EXPECT(errorOf(labels).find("65 labels; at most 64") != std::string::npos);
}

TEST("a bad series rejects its own samples if lenient, else the whole request") {
  const std::string body = requestOf({{{{"__name__", "a"}}, {{1, 1}, {2, 2}}},
                                      {{{"job", "x"}}, {{1, 1}, {2, 2}, {3, 3}}},
                                      {{{"__name__", "b"}}, {{3, 3}}}});
  Fixture fixture{makeRemoteWriteParser};
  const auto lenient = fixture.parse(body, lenientOptions());
  REQUIRE(lenient.code == kOk && lenient.staged.rejected.size() == 1);
  EXPECT(lenient.staged.refs.size() == 3 && lenient.staged.lineCount == 3);
  EXPECT(lenient.staged.rejected[0].line == 2 && lenient.staged.rejected[0].count == 3);
  EXPECT(lenient.staged.rejected[0].text == "{job=\"x\"}");
  EXPECT(rejectedCountOf(lenient.staged.rejected) == 3);
  const auto strict = fixture.parse(body);
  EXPECT(strict.code == kInvalid);
  EXPECT(strict.message == "{job=\"x\"}: the label __name__ is missing");
}

TEST("values are stored to the bit, NaN included, and an omitted value is zero") {
  const std::uint64_t bits[] = {0x7ff0000000000002,
                                0x7ff8000000000001,
                                0xfff80000000dead1,
                                0x8000000000000000,
                                0x7ff0000000000000,
                                0,
                                1};
  MessageWriter message;
  message.addMessage(1, labelMessage("__name__", "up"));
  for (const std::uint64_t one : bits) {
    MessageWriter sample;
    if (one != 0) sample.addDouble(1, std::bit_cast<double>(one));
    message.addMessage(2, sample);
  }
  Fixture fixture{makeRemoteWriteParser};
  const auto outcome = fixture.parse(asRequest(1, message));
  REQUIRE(outcome.staged.values.size() == std::size(bits));
  for (std::size_t i = 0; i < std::size(bits); ++i) {
    EXPECT(std::bit_cast<std::uint64_t>(outcome.staged.values[i]) == bits[i]);
    EXPECT(outcome.staged.ts[i] == 0);
  }
}

TEST("milliseconds are converted to the database's unit, and samples too far ahead are rejected") {
  Fixture fixture{makeRemoteWriteParser};
  IngestOptions options = lenientOptions();
  options.conversion = {1, 1000};
  options.tsMax = 100;
  const std::string body = requestOf(
      {{{{"__name__", "a"}}, {{1, -1}, {2, 1999}, {3, 100'999}, {4, 101'000}, {5, 102'000}}}});
  const auto outcome = fixture.parse(body, options);
  EXPECT((outcome.staged.ts == std::vector<Timestamp>{-1, 1, 100}));
  REQUIRE(outcome.staged.rejected.size() == 1);
  EXPECT(outcome.staged.rejected[0].count == 2);
  EXPECT(outcome.staged.rejected[0].error.find("max_future_skew") != std::string::npos);
  options.conversion = {1'000'000, 1};
  options.tsMax = INT64_MAX;
  const auto wide =
      fixture.parse(requestOf({{{{"__name__", "a"}}, {{1, INT64_MAX}, {2, 7}}}}), options);
  EXPECT(wide.staged.ts == std::vector<Timestamp>{7'000'000});
  EXPECT(rejectedCountOf(wide.staged.rejected) == 1);
}

TEST("labels of the request are added, and a series with another value is rejected") {
  IngestOptions options = lenientOptions();
  options.required = {{"tenant", "a"}, {"zone", "z"}};
  Fixture fixture{makeRemoteWriteParser};
  const auto added = parseOne(fixture, {{"__name__", "up"}, {"job", "x"}, {"zone", "z"}}, options);
  REQUIRE(added.staged.pendingSeries.size() == 1);
  EXPECT(added.staged.pendingSeries[0].labels ==
         Labels({{"job", "x"}, {"tenant", "a"}, {"zone", "z"}}));
  EXPECT(errorOf({{"__name__", "up"}, {"tenant", "b"}}, options)
             .ends_with("the label \"tenant\" must be \"a\": the token allows no other value"));
  // A series known with some labels is not known with others.
  fixture.commit(added);
  const Labels sent{{"__name__", "up"}, {"job", "x"}};
  for (int round = 0; round < 3; ++round) {
    const auto bound = parseOne(fixture, sent, options);
    const auto plain = parseOne(fixture, sent);
    EXPECT(bound.staged.pendingSeries.empty());
    REQUIRE(round > 0 || plain.staged.pendingSeries.size() == 1);
    fixture.commit(plain);
    EXPECT(bound.staged.refs != plain.staged.refs);
  }
}

TEST("an empty request, metadata alone and unknown fields are accepted") {
  Fixture fixture{makeRemoteWriteParser};
  EXPECT(fixture.parse("").code == kOk);
  const auto metadata = fixture.parse(asRequest(3, metadataMessage(1, "hits", "Requests.", "")));
  EXPECT(metadata.code == kOk && metadata.staged.refs.empty());
  EXPECT(metadata.staged.pendingDescriptors.size() == 2);
  MessageWriter request;
  request.addText(9, "later");
  request.addVarint(10, 1);
  request.addBytes(asBytes(requestOf({{{{"__name__", "a"}}, {{1, 1}}}})));
  EXPECT(fixture.parse(asText(request.bytes())).staged.refs.size() == 1);
}

TEST("damage refuses the whole request, lenient or strict") {
  const std::string good =
      requestOf({{{{"__name__", "a"}}, {{1, 1}}}, {{{"__name__", "b"}}, {{1, 1}}}});
  Fixture fixture{makeRemoteWriteParser};
  for (std::size_t cut = 1; cut < good.size(); ++cut) {
    const auto outcome = fixture.parse(good.substr(0, cut), lenientOptions());
    EXPECT(outcome.code == kInvalid || cut == good.size() / 2);
  }
  EXPECT(fixture.codeOf("this is text", lenientOptions()) == kInvalid);
  EXPECT(fixture.codeOf(std::string("\x08\x01", 2), lenientOptions()) == kInvalid);
  MessageWriter series;
  series.addMessage(1, labelMessage("__name__", "a"));
  series.addText(2, "\x09short");
  EXPECT(fixture.codeOf(asRequest(1, series), lenientOptions()) == kInvalid);
  MessageWriter wrongType;
  wrongType.addMessage(1, labelMessage("__name__", "a"));
  wrongType.addVarint(2, 1);
  EXPECT(fixture.codeOf(asRequest(1, wrongType), lenientOptions()) == kInvalid);
  IngestOptions small = lenientOptions();
  small.limits.bodySizeMax = good.size() - 1;
  EXPECT(fixture.codeOf(good, small) == StatusCode::kPayloadTooLarge);
  small.limits.bodySizeMax = good.size();
  EXPECT(fixture.codeOf(good, small) == kOk);
}

TEST("count and sum of a native histogram are stored as counters, stale markers included") {
  MessageWriter series;
  series.addMessage(1, labelMessage("__name__", "latency"));
  series.addMessage(4, histogramMessage(12.5));
  series.addMessage(4, histogramMessage(std::bit_cast<double>(std::uint64_t{0x7ff0000000000002})));
  Fixture fixture{makeRemoteWriteParser};
  const auto outcome = fixture.parse(asRequest(1, series));
  REQUIRE(outcome.code == kOk && outcome.staged.pendingSeries.size() == 2);
  EXPECT(outcome.staged.pendingSeries[0].name == "latency_count");
  EXPECT(outcome.staged.pendingSeries[1].name == "latency_sum");
  REQUIRE(outcome.staged.values.size() == 4);
  EXPECT(outcome.staged.values[0] == 7 && outcome.staged.values[1] == 12.5);
  EXPECT(std::isnan(outcome.staged.values[2]) && std::isnan(outcome.staged.values[3]));
  EXPECT((outcome.staged.ts == std::vector<Timestamp>{5000, 5000, 5000, 5000}));
  EXPECT(skippedBy(outcome, SkipReason::kNativeHistogram) == 2);
  REQUIRE(outcome.staged.pendingDescriptors.size() == 2);
  EXPECT(outcome.staged.pendingDescriptors[1].descriptor.kind == "counter");
  fixture.commit(outcome);
  EXPECT(fixture.parse(asRequest(1, series)).staged.pendingDescriptors.empty());
}

TEST("exemplars are skipped and counted, with samples or without") {
  MessageWriter series;
  series.addMessage(1, labelMessage("__name__", "a"));
  series.addMessage(3, labelMessage("trace", "x"));
  Fixture fixture{makeRemoteWriteParser};
  const auto alone = fixture.parse(asRequest(1, series));
  EXPECT(alone.staged.pendingSeries.empty() && skippedBy(alone, SkipReason::kExemplar) == 1);
  series.addMessage(2, sampleMessage({1, 1}));
  const auto beside = fixture.parse(asRequest(1, series));
  EXPECT(beside.staged.refs.size() == 1 && skippedBy(beside, SkipReason::kExemplar) == 1);
}

TEST("metadata of a family goes to each of its metrics, and the first metadata stays") {
  struct Case {
    std::uint64_t kind;
    const char* family;
    std::vector<std::pair<std::string, std::optional<std::string>>> kinds;
  };
  const Case cases[] = {
      {0, "u", {{"u", std::nullopt}}},
      {1, "c", {{"c", "counter"}, {"c_total", "counter"}}},
      {1, "d_total", {{"d_total", "counter"}}},
      {2, "g", {{"g", "gauge"}}},
      {3,
       "h",
       {{"h", "histogram"}, {"h_bucket", "counter"}, {"h_sum", "counter"}, {"h_count", "counter"}}},
      {4, "gh", {{"gh", "gaugehistogram"}}},
      {5, "s", {{"s", "summary"}, {"s_sum", "counter"}, {"s_count", "counter"}}},
      {6, "i", {{"i", "info"}}},
      {7, "st", {{"st", "stateset"}}},
      {99, "later", {{"later", std::nullopt}}}};
  Fixture fixture{makeRemoteWriteParser};
  for (const Case& one : cases) {
    const auto message = metadataMessage(one.kind, one.family, "Help.", "s");
    const auto outcome = fixture.parse(asRequest(3, message));
    const auto& found = outcome.staged.pendingDescriptors;
    REQUIRE(found.size() == one.kinds.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT(found[i].metric == one.kinds[i].first);
      EXPECT(found[i].descriptor.kind == one.kinds[i].second);
      EXPECT(found[i].descriptor.description == "Help.");
    }
    fixture.commit(outcome);
  }
  const auto again = fixture.parse(asRequest(3, metadataMessage(1, "c", "Help.", "s")));
  EXPECT(again.staged.pendingDescriptors.empty());
  EXPECT(skippedBy(again, SkipReason::kMetadataConflict) == 0);
  const auto other = fixture.parse(asRequest(3, metadataMessage(1, "c", "Other help.", "s")));
  EXPECT(other.code == kOk && other.staged.pendingDescriptors.empty());
  EXPECT(skippedBy(other, SkipReason::kMetadataConflict) == 1);
  EXPECT(skippedBy(fixture.parse(asRequest(3, metadataMessage(1, "", "Help.", "s"))),
                   SkipReason::kMetadata) == 1);
  EXPECT(skippedBy(fixture.parse(asRequest(3, metadataMessage(1, "x", "\xff", "s"))),
                   SkipReason::kMetadata) == 1);
}

TEST("a series missing in a new index is not found by its cached labels") {
  Fixture fixture{makeRemoteWriteParser};
  const std::string body = requestOf(scrapedSeries(0, 50, 1000));
  fixture.ingest(body);
  for (int round = 0; round < 2; ++round) EXPECT(fixture.parse(body).staged.pendingSeries.empty());
  fixture.indexes.replace(SeriesIndex::make({}));
  EXPECT(fixture.parse(body).staged.pendingSeries.size() == 50);
}
