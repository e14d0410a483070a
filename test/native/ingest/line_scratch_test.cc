// The scratch that a long line takes stays below what the parser asks for.
#include <cstdio>

#include "harness.h"
#include "ingest/costly_lines.h"
#include "ingest/counted_memory.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

template <std::size_t kCount>
std::unique_ptr<IngestParser> makeCsvOf(ParserState& state, const IngestOptions& wanted) {
  IngestOptions options = wanted;
  options.columns = {{ColumnKind::kTime, ""}};
  // Names that do not fit inline, as far as their sum allows.
  const std::string names(kCount <= 60'000 ? 11 : 0, 'x');
  for (std::size_t i = 0; i < kCount; ++i) {
    options.columns.push_back({ColumnKind::kValue, std::to_string(i) + names});
  }
  return makeCsvParser(state, options);
}

template <std::size_t kCount>
CostlyBody rowOf() {
  return {"a row", makeCsvOf<kCount>, "1" + repeated(",1", kCount) + "\n"};
}

// The index in the fewest characters, so that the line has the most fields.
std::string shortKey(std::size_t at) {
  constexpr std::string_view kDigits =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string key;
  for (++at; at > 0; at /= kDigits.size()) key += kDigits[at % kDigits.size()];
  return key;
}

CostlyBody jsonOfShortKeys(std::size_t size) {
  std::string line = R"({"metric":"m","ts":1,"fields":{)";
  for (std::size_t at = 0; line.size() < size; ++at) line += '"' + shortKey(at) + "\":1,";
  line.back() = '}';
  return {"NDJSON: short keys", makeNdjsonParser, line + "}\n"};
}

CostlyBody influxOfShortKeys(std::size_t size) {
  std::string line = "m ";
  for (std::size_t at = 0; line.size() < size; ++at) line += shortKey(at) + "=1,";
  line.back() = '\n';
  return {"line protocol: short keys", makeLineProtocolParser, line};
}

// A row has as many cells as its options, so each size is a parser of its own.
std::vector<CostlyBody> longLines() {
  std::vector<CostlyBody> all{rowOf<50'000>(),  rowOf<60'000>(),  rowOf<70'000>(),
                              rowOf<130'000>(), rowOf<140'000>(), rowOf<260'000>(),
                              rowOf<270'000>()};
  for (std::size_t kib = 66; kib < 600; kib += kib / 12) {
    all.push_back(jsonOfShortKeys(kib << 10));
    all.push_back(influxOfShortKeys(kib << 10));
  }
  for (const std::size_t kib : {130, 190, 260, 400, 520, 1030}) {
    for (auto* const lines : {costlyJsonLines, costlyInfluxLines}) {
      for (CostlyBody& one : lines(kib << 10)) all.push_back(std::move(one));
    }
  }
  return all;
}

struct Scratch {
  double asked = 0;
  double taken = 0;
};

Scratch scratchOf(const CostlyBody& one) {
  Fixture fixture{one.make};
  IngestOptions options;
  options.limits.lineSizeMax = std::size_t{16} << 20;
  const auto parser = one.make(*fixture.state, options);
  const Bytes body = asBytes(one.body);
  static_cast<void>(parser->write(body.first(body.size() - 1)));
  const auto asked = static_cast<double>(parser->scratchAhead());
  const std::ptrdiff_t before = CountedMemory::held();
  CountedMemory::peak() = before;
  static_cast<void>(parser->write(body.last(1)));
  return {asked, static_cast<double>(CountedMemory::peak() - before)};
}

TEST("parsing a long line takes no more scratch memory than the parser asked for") {
  for (const CostlyBody& one : longLines()) {
    const Scratch scratch = scratchOf(one);
    EXPECT(scratch.asked > 0);
    if (scratch.taken > scratch.asked) {
      std::printf("%s of %zu bytes takes %.0f bytes, %.0f asked\n", one.name, one.body.size(),
                  scratch.taken, scratch.asked);
    }
    EXPECT(scratch.taken <= scratch.asked);
  }
}

#endif

}  // namespace
