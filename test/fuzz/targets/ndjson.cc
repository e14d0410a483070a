#include <string>

#include "base/check.h"
#include "ndjson/ingest_fixture.h"
#include "target.h"

using namespace seriesdb;
using namespace seriesdb::fuzz;

namespace {

constexpr std::size_t kCacheBytes = std::size_t{256} << 10;

// The first byte says how the lines behind it are taken.
IngestOptions optionsOf(std::uint8_t flags) {
  IngestOptions options;
  options.isLenient = (flags & 1) != 0;
  if ((flags & 2) != 0) options.limits.lineSizeMax = 100;
  if ((flags & 4) != 0) options.limits.bodySizeMax = 300;
  if ((flags & 8) != 0) options.conversion.multiply = 1'000'000;
  if ((flags & 24) == 16) options.conversion.divide = 1000;
  if ((flags & 32) != 0) options.tsMax = 1'700'000'000'500;
  return options;
}
std::size_t chunkSizeOf(std::uint8_t flags) { return flags < 64 ? 7 : flags < 128 ? 1 : 50; }

std::vector<ByteBuffer> makeBodies(Random& random) {
  const char* const shapes[] = {
      R"({"metric":"cpu","labels":{"host":"a"},"ts":TS,"value":VALUE})",
      R"({"ts":TS,"metric":"cpu","value":VALUE,"kind":"gauge","unit":"s"})",
      R"({"series":"mem","tags":{"host":"a","zone":"b"},"ts":TS,"fields":{"used":VALUE,"x":1}})",
      R"({"metric":"größe","labels":{"k":true,"n":1},"ts":TS,"value":VALUE,"extra":[1,{"a":2}]})",
      R"({"metric":"\u0063pu","labels":{"host":"a\"b"}, "ts" : TS ,"value":VALUE})"};
  std::vector<ByteBuffer> all;
  for (std::size_t count = 1; count < 20; ++count) {
    std::string body(1, static_cast<char>(count * 64 | (count & 1)));
    for (std::size_t i = 0; i < count; ++i) {
      std::string line = shapes[(count + i / 3) % std::size(shapes)];
      line.replace(line.find("TS"), 2, std::to_string(1'700'000'000'000 + random() % 1000));
      const auto value = static_cast<double>(random() % 10'000) / 8;
      line.replace(line.find("VALUE"), 5, std::to_string(value));
      body += line + (i % 5 == 4 ? "\r\n" : "\n");
    }
    const Bytes bytes = asBytes(body);
    all.emplace_back(bytes.begin(), bytes.end());
  }
  return all;
}

bool readBody(Bytes input) {
  if (input.empty()) return false;
  const IngestOptions options = optionsOf(input[0]);
  const std::string_view body = asText(input.subspan(1));
  const IndexHolder indexes(SeriesIndex::make({}));
  const auto index = indexes.writable();
  const auto slow = ParserState::make(indexes, 0);
  const auto fast = ParserState::make(indexes, kCacheBytes);
  const auto unknown = test::parseText(*slow, body, options);
  CHECK(test::sameOutcome(test::parseText(*fast, body, options), unknown));
  for (const auto& series : unknown.staged.pendingSeries) {
    std::vector<Label> labels;
    for (const auto& [key, value] : series.labels) labels.push_back({key, value});
    CHECK(index->findOrCreate(series.name, labels).ok());
  }
  // Now that the index holds the series the cache learns their lines, and then knows them.
  const auto known = test::parseText(*slow, body, options);
  CHECK(known.code == unknown.code && known.message == unknown.message);
  CHECK(known.staged.refs.size() == unknown.staged.refs.size());
  for (int round = 0; round < 2; ++round) {
    CHECK(test::sameOutcome(test::parseText(*fast, body, options), known));
  }
  const std::size_t chunkSize = chunkSizeOf(input[0]);
  CHECK(test::sameOutcome(test::parseChunks(*fast, body, options, chunkSize), known));
  return known.code == StatusCode::kOk && known.staged.rejected.empty();
}

const Registration registration{{
    .name = "ndjson",
    .sentence = "lines mean to the frame cache what they mean without it, however they are cut",
    .read = &readBody,
    .seeds = &makeBodies,
    .words = {"{", "}", "\"", "\n", "\\u0000", "\"ts\":", "\"labels\":{", "null", "\"value\":",
              "1e999", "\"metric\":\"\"", "\r\n", "\xff", "\xe2\x80\xa8", "\\ud800", "[[[[", "-0",
              "9223372036854775808", "\"fields\":{", "\"tags\":{", "\"kind\":\"counter\""},
}};

}  // namespace
