// Lines of one format, with and without the frame cache, whole and split: their meaning must be the
// same.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/check.h"
#include "ingest/body_budget.h"
#include "ingest/ingest_fixture.h"
#include "target.h"

namespace seriesdb::fuzz {

inline constexpr std::size_t kLineCacheBytes = std::size_t{256} << 10;

// The options, from the first byte of the input.
inline IngestOptions lineOptionsOf(std::uint8_t flags) {
  IngestOptions options;
  options.isLenient = (flags & 1) != 0;
  if ((flags & 2) != 0) options.limits.lineSizeMax = 100;
  if ((flags & 4) != 0) options.limits.bodySizeMax = 300;
  if ((flags & 8) != 0) options.conversion.multiply = 1'000'000;
  if ((flags & 24) == 16) options.conversion.divide = 1000;
  if ((flags & 32) != 0) options.tsMax = 1'700'000'000'500;
  options.now = 1'700'000'000'000;
  return options;
}
inline std::size_t lineChunkSizeOf(std::uint8_t flags) {
  return flags < 64 ? 7 : flags < 128 ? 1 : 50;
}

// In steps the meaning must be the same, with time and memory in proportion to the size: twice the
// text that BodyBudget allows, plus columns.
inline void checkCost(std::string_view body, const IngestOptions& options, ParserState& state,
                      const test::Outcome& known, test::MakeParser make) {
  constexpr std::size_t kPeakPerByte = 2 * BodyBudget::kTextPerByte + 24;
  constexpr std::size_t kPeakFree = 4 * BodyBudget::kTextFree;
  // Thirty times the cost of the most expensive text, because sanitizers are slow.
  constexpr double kSecondsPerByte = 1e-5;
  constexpr double kSecondsFree = 0.5;
  const double begin = test::threadCpuSeconds();
  const test::Stepped stepped = test::parseInSteps(state, body, options, 4096, make);
  const auto size = body.size();
  CHECK(test::sameOutcome(stepped.outcome, known));
  CHECK(test::threadCpuSeconds() - begin <=
        kSecondsPerByte * static_cast<double>(size) + kSecondsFree);
  CHECK(stepped.peakBytes <= kPeakPerByte * size + kPeakFree);
}

// Bodies of lines of these shapes. The first VALUE of a line becomes a number, the first TS a time.
inline std::vector<ByteBuffer> makeLineBodies(Random& random,
                                              std::span<const char* const> shapes) {
  const auto put = [](std::string& line, std::string_view word, const std::string& text) {
    const auto at = line.find(word);
    if (at != std::string::npos) line.replace(at, word.size(), text);
  };
  std::vector<ByteBuffer> all;
  for (std::size_t count = 1; count < 20; ++count) {
    std::string body(1, static_cast<char>(count * 64 | (count & 1)));
    for (std::size_t i = 0; i < count; ++i) {
      std::string line = shapes[(count + i / 3) % shapes.size()];
      put(line, "TS", std::to_string(1'700'000'000'000 + random() % 1000));
      put(line, "VALUE", std::to_string(static_cast<double>(random() % 10'000) / 8));
      body += line + (i % 5 == 4 ? "\r\n" : "\n");
    }
    const Bytes bytes = asBytes(body);
    all.emplace_back(bytes.begin(), bytes.end());
  }
  return all;
}

// Returns whether all lines are good.
inline bool readLines(Bytes input, test::MakeParser make) {
  if (input.empty()) return false;
  const IngestOptions options = lineOptionsOf(input[0]);
  const std::string_view body = asText(input.subspan(1));
  const IndexHolder indexes(SeriesIndex::make({}));
  const auto index = indexes.writable();
  const auto slow = ParserState::make(indexes, 0);
  const auto fast = ParserState::make(indexes, kLineCacheBytes);
  const auto unknown = test::parseText(*slow, body, options, make);
  CHECK(test::sameOutcome(test::parseText(*fast, body, options, make), unknown));
  for (const auto& series : unknown.staged.pendingSeries) {
    std::vector<Label> labels;
    for (const auto& [key, value] : series.labels) labels.push_back({key, value});
    CHECK(index->findOrCreate(series.name, labels).ok());
  }
  // The index holds the series now, so the cache first learns their lines, then knows them.
  const auto known = test::parseText(*slow, body, options, make);
  CHECK(known.code == unknown.code && known.message == unknown.message);
  CHECK(known.staged.refs.size() == unknown.staged.refs.size());
  for (int round = 0; round < 2; ++round) {
    CHECK(test::sameOutcome(test::parseText(*fast, body, options, make), known));
  }
  const std::size_t chunkSize = lineChunkSizeOf(input[0]);
  CHECK(test::sameOutcome(test::parseChunks(*fast, body, options, chunkSize, make), known));
  checkCost(body, options, *fast, known, make);
  return known.code == StatusCode::kOk && known.staged.rejected.empty();
}

}  // namespace seriesdb::fuzz
