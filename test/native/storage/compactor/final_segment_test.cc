// The close of a partition writes long chunks in the cold codecs, once.
#include <random>

#include "common/types/file_names.h"
#include "format/manifest/manifest.h"
#include "hand_time.h"
#include "storage/engine/engine_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

constexpr int kSamples = 20'000;

// A random walk of integers, in several segments.
Points fillWalk(Database& database) {
  std::mt19937_64 random(seed());
  Points points;
  double value = 50;
  std::string body;
  for (int i = 0; i < kSamples; ++i) {
    value += static_cast<double>(random() % 3) - 1;
    points[i * 1000] = value;
    body += line("m", i * 1000, value);
    if ((i + 1) % (kSamples / 5) != 0) continue;
    EXPECT(database.ingest(body).ok() && database.flush().ok());
    body.clear();
  }
  return points;
}

ManifestState stateOf(const Database& database) {
  auto manifest = Manifest::open(posixFileSystem(), database.options.directory);
  return manifest.ok() ? manifest.value()->state() : ManifestState{};
}

// Rewrites MANIFEST with other segment codecs. REQUIRES: the database is closed.
void setCodecs(const Database& database, std::uint32_t codecs) {
  const ManifestState state = stateOf(database);
  ManifestEdit edit;
  edit.added = state.segments;
  for (SegmentFacts& facts : edit.added) facts.codecs = codecs;
  edit.walFloor = state.walFloor;
  edit.flushedSequence = state.flushedSequence;
  edit.classes = state.classes;
  const std::string directory = temporaryDirectory();
  {
    auto made = Manifest::create(posixFileSystem(), directory);
    REQUIRE(made.ok() && made.value()->apply(edit).ok());
  }
  overwrite(database.path("MANIFEST"), contentOf(directory + "/MANIFEST"));
}

std::vector<ChunkEntry> chunksOf(const Database& database, const SegmentFacts& facts) {
  std::vector<ChunkEntry> chunks;
  auto segment = Segment::open(posixFileSystem(), database.options.directory, facts);
  EXPECT(segment.ok() && segment.value()->pageCount() == 1);
  EXPECT(segment.ok() && segment.value()->readPage(0, chunks).ok());
  return chunks;
}

}  // namespace

TEST("a closed partition uses long chunks and cold codecs, and flushed segments quick ones") {
  Database database;
  REQUIRE(database.open().ok());
  const Points expected = fillWalk(database);
  database.close();
  for (const SegmentFacts& facts : stateOf(database).segments) {
    EXPECT(!facts.isFinal && facts.codecs == 1);
    for (const ChunkEntry& chunk : chunksOf(database, facts)) {
      EXPECT(chunk.summary.valueCodec == ValueCodec::kDecimalDelta);
    }
  }
  REQUIRE(database.open().ok() && database.compact().ok());
  EXPECT(database.read("m") == expected);
  database.close();
  const ManifestState state = stateOf(database);
  REQUIRE(state.segments.size() == 1);
  const SegmentFacts& facts = state.segments.front();
  EXPECT(facts.isFinal && facts.codecs == 2);
  const std::vector<ChunkEntry> chunks = chunksOf(database, facts);
  // Chunks end at full hours.
  std::vector<int> counts;
  for (const ChunkEntry& chunk : chunks) {
    counts.push_back(chunk.summary.count);
    EXPECT(chunk.summary.valueCodec == ValueCodec::kDecimalCoded);
  }
  EXPECT(counts == std::vector<int>({3600, 7200, 3600, 5600}));
  // Three equally likely steps have 1.585 bits, 0.198 bytes.
  EXPECT(static_cast<double>(facts.fileSize) / kSamples < 0.25);
}

TEST("every chunk of a merged long series lies within one day") {
  constexpr Timestamp kDay = 86'400'000;
  constexpr Timestamp kFirst = 19'672 * kDay;  // With a slot of eight days.
  constexpr int kStep = 5'000;
  Database database;
  REQUIRE(database.open().ok());
  std::string body;
  for (Timestamp ts = kFirst; ts < kFirst + 12 * kDay; ts += kStep) {
    body += line("m", ts, static_cast<double>(ts / kStep % 7));
    if (body.size() < (1 << 20)) continue;
    REQUIRE(database.ingest(body).ok());
    body.clear();
  }
  REQUIRE(database.ingest(body).ok() && database.compact().ok());
  database.close();
  for (const SegmentFacts& facts : stateOf(database).segments) {
    for (const ChunkEntry& chunk : chunksOf(database, facts)) {
      EXPECT(chunk.summary.tsMin / kDay == chunk.summary.tsMax / kDay);
      EXPECT(chunk.summary.count >= 2048);
    }
  }
}

TEST("a final segment with old codecs is rewritten once, and keeps its samples") {
  Database database;
  database.options.metadataReadMode = MetadataReadMode::kLegacy;  // MANIFEST is written by hand.
  REQUIRE(database.open().ok());
  const Points expected = fillWalk(database);
  REQUIRE(database.compact().ok());
  database.close();
  setCodecs(database, 1);
  REQUIRE(database.open().ok());
  EXPECT(database.compact().ok() && database.stat("compactions_total") == 1);
  EXPECT(database.read("m") == expected);
  EXPECT(database.compact().ok() && database.stat("compactions_total") == 1);
  database.close();
  const ManifestState state = stateOf(database);
  EXPECT(state.segments.size() == 1 && state.segments.front().codecs == 2);
  REQUIRE(database.open().ok());
  EXPECT(database.read("m") == expected);
}

TEST("a final segment with old codecs is rewritten after ten minutes without requests") {
  constexpr std::int64_t kMinuteMs = 60'000;
  constexpr std::int64_t kMonthMs = 30 * 24 * 60 * kMinuteMs;
  HandTime time(kMonthMs);
  Database database;
  database.options.time = &time;
  database.options.metadataReadMode = MetadataReadMode::kLegacy;  // MANIFEST is written by hand.
  REQUIRE(database.open().ok());
  const Points expected = fillWalk(database);
  REQUIRE(database.compact().ok());
  database.close();
  setCodecs(database, 1);
  REQUIRE(database.open().ok());
  // A later sample, so that its slot is over.
  REQUIRE(database.ingest(line("live", kMonthMs, 1)).ok() && database.flush().ok());
  const auto written = [&database] {
    EXPECT(database.compactDue().ok());
    return database.stat("compactions_total");
  };
  EXPECT(written() == 0);
  time.advance(120 * kMinuteMs);
  REQUIRE(database.read("m") == expected);
  EXPECT(written() == 0);
  time.advance(10 * kMinuteMs - 1);
  EXPECT(written() == 0);
  REQUIRE(database.ingest(line("live", kMonthMs + 1, 1)).ok());
  time.advance(1);
  EXPECT(written() == 0);
  time.advance(10 * kMinuteMs - 1);
  EXPECT(written() == 0);
  time.advance(1);
  EXPECT(written() == 1);
  database.close();
  EXPECT(stateOf(database).segments.back().codecs == 2);
  REQUIRE(database.open().ok());
  EXPECT(database.read("m") == expected);
}
