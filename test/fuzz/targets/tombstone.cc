#include "common/types/tombstone.h"

#include <algorithm>
#include <functional>

#include "common/base/check.h"
#include "common/types/tombstone_list.h"
#include "target.h"

using namespace seriesdb;
using namespace seriesdb::fuzz;

namespace {

std::vector<ByteBuffer> makeTombstones(Random& random) {
  std::vector<ByteBuffer> all;
  for (std::size_t count = 1; count < 10; ++count) {
    Tombstone one;
    one.range = {1000, 1000 + static_cast<Timestamp>(random() % 1000)};
    if (count % 4 == 0) one.range = {INT64_MIN, INT64_MAX};
    SeriesRef next = count % 3 == 0 ? UINT32_MAX - 100 : 0;
    for (std::size_t i = 0; i < count; ++i) one.refs.push_back(next += 1 + random() % 4);
    encodeTombstone(all.emplace_back(), one);
  }
  return all;
}

// Makes the queries of readers, at the edges too.
void askMasks(const Tombstone& one) {
  TombstoneList list;
  auto later = one;
  later.sequence = 5;
  list.add(std::make_shared<const Tombstone>(later));
  for (const SeriesRef ref : {one.refs.front(), one.refs.back(), SeriesRef{0}, UINT32_MAX}) {
    const bool isHeld = std::find(one.refs.begin(), one.refs.end(), ref) != one.refs.end();
    CHECK(one.holds(ref) == isHeld);
    const Masks masks = list.masksOf(ref, {INT64_MIN, INT64_MAX});
    CHECK(masks.isEmpty() == !isHeld);
    const auto holes = masks.holesOf(4);
    CHECK(masks.holesOf(5).empty());
    CHECK(holes.size() == (isHeld ? 1 : 0));
    CHECK(isInHole(holes, one.range.start) == isHeld && isInHole(holes, one.range.end) == isHeld);
  }
}

bool readTombstone(Bytes input) {
  ByteReader reader(input);
  const auto decoded = decodeTombstone(reader);
  if (!decoded.ok()) {
    CHECK(decoded.status().code() == StatusCode::kStorageCorrupt);
    return false;
  }
  const Tombstone& one = decoded.value();
  CHECK(!one.refs.empty() && one.range.start <= one.range.end);
  CHECK(std::adjacent_find(one.refs.begin(), one.refs.end(), std::greater_equal<SeriesRef>()) ==
        one.refs.end());
  CHECK(one.covers(one));
  askMasks(one);
  ByteBuffer written;
  encodeTombstone(written, one);
  ByteReader again(written);
  const auto other = decodeTombstone(again);
  CHECK(other.ok() && again.atEnd());
  CHECK(other.value().refs == one.refs && other.value().range.start == one.range.start &&
        other.value().range.end == one.range.end);
  return true;
}

const Registration registration{{
    .name = "tombstone",
    .sentence = "a tombstone is refused, or names ascending series and comes back as it was read",
    .read = &readTombstone,
    .seeds = &makeTombstones,
}};

}  // namespace
