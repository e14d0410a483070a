// A streamed read answers the same series and samples as an unstreamed read, in frames.
#include "query/remote_read/chunk_stream.h"

#include <algorithm>
#include <cstdio>

#include "format/codec/series.h"
#include "query/remote_read/chunk_reader.h"
#include "query/remote_read/xor_chunk.h"
#include "storage/engine/engine_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

struct ReadSeries {
  std::string labels;
  ChunkSamples samples;
  bool operator==(const ReadSeries&) const = default;
};
using ReadQuery = std::vector<ReadSeries>;

RemoteReadRequest allOf(TimeRange range = kAllTime) {
  RemoteReadRequest request;
  request.isStreamed = true;
  request.queries.push_back({SeriesFilter{}, range});
  return request;
}

struct Streamed {
  std::string text;
  std::size_t largestPiece = 0;
};

Result<Streamed> streamOf(Database& database, RemoteReadRequest request) {
  ChunkStream stream(database.engine(), std::move(request));
  Streamed all;
  std::string piece;
  do {
    const Status read = stream.next(piece);
    if (!read.ok()) return read;
    all.text += piece;
    all.largestPiece = std::max(all.largestPiece, piece.size());
  } while (!piece.empty());
  return all;
}

// The answers by query; series in order of arrival.
std::vector<ReadQuery> readBack(Database& database, RemoteReadRequest request) {
  std::vector<ReadQuery> queries(request.queries.size());
  const auto all = streamOf(database, std::move(request));
  CHECK(all.ok());
  for (const ReadFrame& frame : framesOf(all.value().text)) {
    CHECK(frame.queryIndex < queries.size());
    ReadQuery& query = queries[frame.queryIndex];
    if (query.empty() || query.back().labels != frame.labels) query.push_back({frame.labels, {}});
    ChunkSamples& samples = query.back().samples;
    for (const ReadChunk& chunk : frame.chunks) {
      EXPECT(!chunk.samples.empty() && chunk.samples.size() <= kXorChunkSamplesMax);
      samples.insert(samples.end(), chunk.samples.begin(), chunk.samples.end());
    }
  }
  return queries;
}

std::uint64_t bitsOf(double value) { return std::bit_cast<std::uint64_t>(value); }

}  // namespace

TEST("a stream orders each query's series by labels and leaves out those without samples") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("b", 20, 2) + line("a", 10, 1) + line("c", 1, kAsStale)).ok());
  RemoteReadRequest request = allOf({15, 25});
  request.queries.push_back({SeriesFilter{}, {30, 40}});
  request.queries.push_back({SeriesFilter{}, {40, 30}});
  request.queries.push_back({SeriesFilter{}, {0, 20}});
  for (int round = 0; round < 2; ++round) {
    const auto queries = readBack(database, request);
    EXPECT((queries[0] == ReadQuery{{"__name__=b,", {{20, bitsOf(2)}}}}));
    EXPECT(queries[1].empty() && queries[2].empty());
    EXPECT((queries[3] == ReadQuery{{"__name__=a,", {{10, bitsOf(1)}}},
                                    {"__name__=b,", {{20, bitsOf(2)}}},
                                    {"__name__=c,", {{1, kStaleBits}}}}));
    REQUIRE(database.flush().ok());
  }
  EXPECT(readBack(database, RemoteReadRequest()).empty());
}

TEST("stream times are milliseconds rounded down, and the last sample of a millisecond stays") {
  Database database;
  database.options.unit = TimestampUnit::kMicroseconds;
  REQUIRE(database.open().ok());
  // Three samples in each millisecond; blocks and chunks end within one.
  constexpr int kCount = 60'000;
  std::string text;
  ChunkSamples expected;
  for (int i = -1'500; i < kCount; ++i) {
    const Timestamp us = Timestamp{i} * 333 + (i < 0 ? 0 : i / 3);
    text += line("m", us, i);
    const std::int64_t ms = us >= 0 ? us / 1000 : (us - 999) / 1000;
    if (!expected.empty() && expected.back().first == ms) expected.pop_back();
    expected.emplace_back(ms, bitsOf(i));
  }
  REQUIRE(database.ingest(text).ok());
  const auto queries = readBack(database, allOf());
  REQUIRE(queries[0].size() == 1);
  EXPECT(queries[0][0].samples == expected);
}

LONE_TEST("a long answer comes in pieces of bounded size, each of whole frames") {
  Database database;
  REQUIRE(database.open().ok());
  Random random(seed());
  ReadQuery expected = {{"__name__=a,", {}}, {"__name__=b,", {}}};
  for (ReadSeries& series : expected) {
    std::string text;
    for (int i = 0; i < 150'000; ++i) {
      const double value = normal(random);
      char number[32];
      std::snprintf(number, sizeof number, "%.17g", value);
      text += "{\"metric\":\"" + series.labels.substr(9, 1) + "\",\"ts\":" + std::to_string(i) +
              ",\"value\":" + number + "}\n";
      series.samples.emplace_back(i, bitsOf(value));
    }
    REQUIRE(database.ingest(text).ok());
  }
  const auto all = streamOf(database, allOf());
  REQUIRE(all.ok());
  EXPECT(all.value().text.size() > std::size_t{2} << 20);
  EXPECT(all.value().largestPiece < (std::size_t{5} << 18));
  EXPECT(framesOf(all.value().text).size() >= 4);
  EXPECT((readBack(database, allOf())[0] == expected));
}

TEST("a chunk stream enforces only the series limit") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("a", 1, 1) + line("b", 1, 1)).ok());
  RemoteReadRequest request = allOf();
  request.queries.push_back(request.queries[0]);
  request.samplesMax = 1;
  request.bytesMax = 1;
  request.seriesMax = 4;
  EXPECT(streamOf(database, request).ok());
  // The limit is checked before the first frame, although the first query is within it.
  request.seriesMax = 3;
  ChunkStream stream(database.engine(), request);
  std::string piece;
  EXPECT(stream.next(piece).code() == StatusCode::kQueryLimit);
}

TEST("a finished stream returns nothing more") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("a", 1, 1)).ok());
  RemoteReadRequest request = allOf();
  request.seriesMax = 1;
  ChunkStream stream(database.engine(), request);
  std::string piece;
  REQUIRE(stream.next(piece).ok());
  EXPECT(framesOf(piece).size() == 1);
  for (int again = 0; again < 2; ++again) {
    REQUIRE(stream.next(piece).ok());
    EXPECT(piece.empty());
  }
}

TEST("a cancelled stream ends, also before its start") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(lines("a", 100)).ok());
  ChunkStream stream(database.engine(), allOf());
  std::string piece;
  REQUIRE(stream.next(piece).ok());
  EXPECT(!piece.empty());
  stream.cancel();
  EXPECT(stream.next(piece).code() == StatusCode::kClosed);
  ChunkStream other(database.engine(), allOf());
  other.cancel();
  EXPECT(other.next(piece).code() == StatusCode::kClosed);
}
