// Deletions that touch a series: the index of a list against a scan of the list.
#include <algorithm>
#include <random>

#include "common/types/tombstone_list.h"
#include "harness.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

constexpr SeriesRef kSeries = 6000;

Tombstone someTombstone(std::mt19937_64& random, std::uint64_t sequence) {
  Tombstone tombstone;
  // One series, some series, or more than the index takes.
  const std::uint64_t steps[] = {kSeries, 700, 1};
  const std::uint64_t step = steps[std::min<std::uint64_t>(random() % 40, 2)];
  if (step == 1 && random() % 8 != 0) {
    tombstone.refs = {static_cast<SeriesRef>(random() % 20)};
  } else {
    for (std::uint64_t ref = random() % std::min<std::uint64_t>(step, 20); ref < kSeries;
         ref += step) {
      tombstone.refs.push_back(static_cast<SeriesRef>(ref));
    }
  }
  const auto start = static_cast<Timestamp>(random() % 1000);
  tombstone.range = {start, start + static_cast<Timestamp>(random() % 100)};
  if (random() % 10 == 0) tombstone.range.start = INT64_MIN;
  if (random() % 10 == 0) tombstone.range.end = INT64_MAX;
  tombstone.sequence = sequence;
  return tombstone;
}

// True if a tombstone of `all` deleted this sample of a source whose last record is `sequenceMax`.
bool isGone(const Tombstones& all, SeriesRef ref, Timestamp ts, std::uint64_t sequenceMax) {
  return std::any_of(all.begin(), all.end(), [&](const auto& one) {
    return one->sequence > sequenceMax && one->range.contains(ts) && one->holds(ref);
  });
}

void expectSame(const TombstoneList& list, const Tombstones& all, std::mt19937_64& random) {
  std::uint64_t refCount = 0;
  for (const auto& one : all) refCount += one->refs.size();
  REQUIRE(list.all() == all);
  EXPECT(list.size() == all.size() && list.refCount() == refCount);
  for (int i = 0; i < 20; ++i) {
    const auto ref = static_cast<SeriesRef>(random() % 25);
    const std::uint64_t sequenceMax = random() % (all.size() + 2);
    const auto start = static_cast<Timestamp>(random() % 1100);
    const TimeRange range{start, start + 50};
    const auto holes = list.masksOf(ref, range).holesOf(sequenceMax);
    for (Timestamp ts = range.start; ts <= range.end; ++ts) {
      EXPECT(isInHole(holes, ts) == isGone(all, ref, ts, sequenceMax));
    }
    for (std::size_t at = 1; at < holes.size(); ++at) {
      EXPECT(holes[at - 1].end < holes[at].start - 1);
    }
  }
}

}  // namespace

TEST("a tombstone list finds the tombstones of a series among many of other series") {
  std::mt19937_64 random(seed());
  TombstoneList list;
  Tombstones all;
  for (std::uint64_t sequence = 1; sequence <= 600; ++sequence) {
    all.push_back(std::make_shared<const Tombstone>(someTombstone(random, sequence)));
    const TombstoneList before = list;
    list.add(all.back());
    EXPECT(before.size() + 1 == list.size());
    EXPECT(list.lastSequence() == sequence);
    if (list.isIndexDue()) list.index();
    EXPECT(!list.isIndexDue());
    const std::uint64_t earlier = random() % (sequence + 2);
    EXPECT(list.after(earlier) == Tombstones(all.begin() + std::min(earlier, sequence), all.end()));
    if (sequence % 20 == 0) expectSame(list, all, random);
    if (sequence % 150 == 0) list = TombstoneList(all);
  }
  expectSame(TombstoneList(all), all, random);
}

TEST("a tombstone with a series ref past the highest one is refused") {
  Tombstone tombstone;
  tombstone.range = {0, 0};
  tombstone.refs = {UINT32_MAX};
  ByteBuffer bytes;
  encodeTombstone(bytes, tombstone);
  ByteReader last(bytes);
  const auto decoded = decodeTombstone(last);
  EXPECT(decoded.ok() && decoded.value().refs == tombstone.refs);
  // One more series, whose reference would start again at 0.
  bytes[2] = 2;
  bytes.push_back(0);
  ByteReader reader(bytes);
  EXPECT(decodeTombstone(reader).status().code() == StatusCode::kStorageCorrupt);
}
