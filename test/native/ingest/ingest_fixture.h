// Helpers for tests of the ingest parser: parse a text, commit its pending series, compare two
// outcomes.
#pragma once

#include <time.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"
#include "index/index_holder.h"
#include "index/series_index.h"
#include "ingest/ndjson/ndjson_parser.h"
#include "ingest/paced_parser.h"

namespace seriesdb::test {

inline constexpr std::size_t kCacheBytes = 8u << 20;

struct Outcome {
  StatusCode code = StatusCode::kOk;
  std::string message;
  StagedSamples staged;
};

using MakeParser = std::unique_ptr<IngestParser> (*)(ParserState&, const IngestOptions&);

// Passes the text in chunks of `chunkSize`, each in memory of exactly its size, so that a sanitizer
// sees a read past its end.
inline Outcome parseChunks(ParserState& state, std::string_view text, const IngestOptions& options,
                           std::size_t chunkSize, MakeParser make = makeNdjsonParser) {
  const auto parser = make(state, options);
  Outcome outcome;
  Status status;
  while (!text.empty() && status.ok()) {
    const auto size = std::min(text.size(), chunkSize);
    const auto chunk = std::make_unique<std::uint8_t[]>(size);
    std::memcpy(chunk.get(), text.data(), size);
    status = parser->write({chunk.get(), size});
    text.remove_prefix(size);
  }
  if (status.ok()) status = parser->finish();
  outcome.code = status.code();
  outcome.message = status.message();
  if (status.ok()) outcome.staged = parser->take();
  return outcome;
}

inline Outcome parseText(ParserState& state, std::string_view text,
                         const IngestOptions& options = {}, MakeParser make = makeNdjsonParser) {
  return parseChunks(state, text, options, SIZE_MAX, make);
}

inline double threadCpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Stepped {
  Outcome outcome;
  std::size_t stepCount = 0;
  std::size_t peakBytes = 0;  // As reported by the parser.
};

// Parses as the server does, one step a turn, under a clock on which every step takes a whole turn.
inline Stepped parseInSteps(ParserState& state, std::string_view text, const IngestOptions& options,
                            std::size_t chunkSize, MakeParser make = makeNdjsonParser) {
  PacedParser::Clock clock = [now = std::uint64_t{0}]() mutable { return now += 1'000'000; };
  PacedParser parser(make(state, options), std::move(clock));
  Stepped stepped;
  Status status;
  while (status.ok() && (!text.empty() || parser.isWaiting())) {
    // Memory of exactly this size, freed after the call.
    const std::string_view begin = text.substr(0, chunkSize);
    const ByteBuffer chunk(begin.begin(), begin.end());
    text.remove_prefix(chunk.size());
    status = parser.write(chunk, 1);
    ++stepped.stepCount;
    stepped.peakBytes = std::max(stepped.peakBytes, parser.memoryBytes());
  }
  if (status.ok()) status = parser.finish();
  stepped.outcome.code = status.code();
  stepped.outcome.message = status.message();
  if (status.ok()) stepped.outcome.staged = parser.take();
  return stepped;
}

// An index with two parsers, one with the frame cache and one without.
struct Fixture {
  MakeParser make = makeNdjsonParser;
  IndexHolder indexes{SeriesIndex::make({})};
  std::unique_ptr<ParserState> state = ParserState::make(indexes, kCacheBytes);
  std::unique_ptr<ParserState> slowState = ParserState::make(indexes, 0);

  Outcome parse(std::string_view text, const IngestOptions& options = {}) {
    return parseText(*state, text, options, make);
  }
  Outcome parseSlowly(std::string_view text, const IngestOptions& options = {}) {
    return parseText(*slowState, text, options, make);
  }
  Outcome parseIn(std::size_t chunkSize, std::string_view text, const IngestOptions& options) {
    return parseChunks(*state, text, options, chunkSize, make);
  }
  StatusCode codeOf(std::string_view text, const IngestOptions& options = {}) {
    return parse(text, options).code;
  }
  // Creates the series and descriptors as a committed request would.
  void commit(const Outcome& outcome) {
    const auto index = indexes.writable();
    for (const auto& series : outcome.staged.pendingSeries) {
      std::vector<Label> labels;
      for (const auto& [key, value] : series.labels) labels.push_back({key, value});
      CHECK(index->findOrCreate(series.name, labels).ok());
    }
    for (const auto& pending : outcome.staged.pendingDescriptors) {
      const auto& given = pending.descriptor;
      CHECK(
          index->mergeDescriptor(pending.metric, {given.kind, given.unit, given.description}).ok());
    }
  }
  // Creates the series of every line that is good on its own, so that the frame cache is used.
  void createAll(std::string_view body) {
    IngestOptions lenient;
    lenient.isLenient = true;
    commit(parseSlowly(body, lenient));
  }
  void ingest(std::string_view text) {
    const auto outcome = parse(text);
    CHECK(outcome.code == StatusCode::kOk);
    commit(outcome);
  }
};

template <typename T, std::size_t N>
const T& oneOf(std::mt19937_64& random, const T (&list)[N]) {
  return list[random() % N];
}

// Makes one or two edits with bytes from the list.
inline void mutate(std::mt19937_64& random, std::string_view bytes, std::string& line) {
  for (auto edits = 1 + random() % 2; edits > 0 && !line.empty(); --edits) {
    const auto at = random() % line.size();
    const char byte = bytes[random() % bytes.size()];
    switch (random() % 4) {
      case 0:
        line.erase(at, 1 + random() % 3);
        break;
      case 1:
        line.insert(at, 1, byte);
        break;
      case 2:
        line[at] = byte;
        break;
      default:
        line.insert(at, line.substr(random() % line.size(), random() % 12));
        break;
    }
  }
}

// Makes up to three edits with any bytes, also of whole pieces.
inline void mutateBytes(std::mt19937_64& random, std::string& body) {
  for (auto edits = 1 + random() % 3; edits > 0 && !body.empty(); --edits) {
    const auto at = random() % body.size();
    switch (random() % 4) {
      case 0:
        body.erase(at, 1 + random() % 3);
        break;
      case 1:
        body.insert(at, 1, static_cast<char>(random()));
        break;
      case 2:
        body[at] = static_cast<char>(body[at] ^ (1 << random() % 8));
        break;
      default:
        body.insert(at, body.substr(random() % body.size(), random() % 60));
    }
  }
}

// The parts of random bodies of lines.
struct LineMaker {
  std::string (*line)(std::mt19937_64& random);
  std::string_view bytes;  // Bytes that edits insert.
  std::string_view blank;  // Sometimes stands between lines, like an empty line.
};

// One of `mutationRate` lines is mutated; 0: none is.
inline std::string makeBody(std::mt19937_64& random, const LineMaker& maker, std::size_t lineCount,
                            unsigned mutationRate) {
  std::vector<std::string> shapes;
  for (int i = 0; i < 6; ++i) shapes.push_back(maker.line(random));
  std::string body;
  for (std::size_t i = 0; i < lineCount; ++i) {
    // Runs of one shape, so that prediction and templates work.
    auto line = random() % 3 == 0 ? shapes[i % shapes.size()] : maker.line(random);
    if (mutationRate > 0 && random() % mutationRate == 0) mutate(random, maker.bytes, line);
    if (random() % 30 == 0) body += random() % 2 == 0 ? "\n" : maker.blank;
    body += line;
    if (i + 1 < lineCount || random() % 2 == 0) body += "\n";
  }
  return body;
}

// Compares doubles by their bits: -0 is not 0.
inline bool sameBits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

inline bool sameBits(std::span<const double> a, std::initializer_list<double> b) {
  return sameBits(a, std::span(b.begin(), b.size()));
}

inline bool sameStaged(const StagedSamples& a, const StagedSamples& b) {
  if (a.refs != b.refs || a.ts != b.ts || !sameBits(a.values, b.values)) return false;
  if (a.inexactCount != b.inexactCount || a.skipped != b.skipped) return false;
  if (a.lineCount != b.lineCount || a.legacyLineCount != b.legacyLineCount) return false;
  if (a.pendingSeries.size() != b.pendingSeries.size()) return false;
  for (std::size_t i = 0; i < a.pendingSeries.size(); ++i) {
    if (a.pendingSeries[i].name != b.pendingSeries[i].name) return false;
    if (a.pendingSeries[i].labels != b.pendingSeries[i].labels) return false;
  }
  if (a.pendingDescriptors.size() != b.pendingDescriptors.size()) return false;
  for (std::size_t i = 0; i < a.pendingDescriptors.size(); ++i) {
    const auto& one = a.pendingDescriptors[i];
    const auto& other = b.pendingDescriptors[i];
    if (one.metric != other.metric || one.descriptor.kind != other.descriptor.kind ||
        one.descriptor.unit != other.descriptor.unit ||
        one.descriptor.description != other.descriptor.description) {
      return false;
    }
  }
  if (a.rejected.size() != b.rejected.size()) return false;
  for (std::size_t i = 0; i < a.rejected.size(); ++i) {
    const auto& one = a.rejected[i];
    const auto& other = b.rejected[i];
    if (one.line != other.line || one.code != other.code || one.error != other.error ||
        one.text != other.text || one.count != other.count) {
      return false;
    }
  }
  return true;
}

inline bool sameOutcome(const Outcome& a, const Outcome& b) {
  return a.code == b.code && a.message == b.message && sameStaged(a.staged, b.staged);
}

}  // namespace seriesdb::test
