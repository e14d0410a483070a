// The columns of a row, filled from several ends.
#include "query/promql/step_samples.h"

#include <algorithm>
#include <bit>
#include <random>
#include <utility>

#include "harness.h"

using namespace seriesdb;

namespace {

// Fills the room with ascending values from `from` on; each value equals its time.
void fill(const StepSamples::Room& room, std::int64_t from) {
  for (std::size_t i = 0; i < room.ms.size(); ++i) {
    room.ms[i] = from + static_cast<std::int64_t>(i);
    room.values[i] = static_cast<double>(room.ms[i]);
  }
}

bool areSame(const StepSamples& row, const std::vector<std::int64_t>& wanted) {
  const StepColumns columns = row.columns();
  bool isSame = row.size() == wanted.size() && std::ranges::equal(columns.ms, wanted);
  for (std::size_t i = 0; isSame && i < wanted.size(); ++i) {
    isSame = columns.values[i] == static_cast<double>(wanted[i]);
  }
  return isSame;
}

}  // namespace

TEST("a row holds pushed and appended samples in their order") {
  std::mt19937_64 random(test::seed());
  StepSamples row;
  for (int round = 0; round < 400; ++round) {
    row.clear();
    std::vector<std::int64_t> wanted;
    for (int part = 0; part < 4; ++part) {
      const auto from = static_cast<std::int64_t>(part * 1000);
      const std::size_t count = random() % 20;
      const std::size_t begin = count == 0 ? 0 : random() % count;
      const std::size_t end = begin + (count == 0 ? 0 : random() % (count - begin + 1));
      switch (random() % 3) {
        case 0:
          fill(row.room(count), from);
          row.keep(begin, end);
          for (std::size_t i = begin; i < end; ++i) {
            wanted.push_back(from + static_cast<std::int64_t>(i));
          }
          break;
        case 1:
          row.push(from, static_cast<double>(from));
          wanted.push_back(from);
          break;
        default:
          row.appendBy([&](std::vector<std::int64_t>& ms, std::vector<double>& values) {
            ms.insert(ms.end(), count, from);
            values.insert(values.end(), count, static_cast<double>(from));
            return true;
          });
          wanted.insert(wanted.end(), count, from);
      }
      EXPECT(areSame(row, wanted));
    }
  }
}

TEST("a row is shortened and loses its stale markers in place") {
  StepSamples row;
  fill(row.room(10), 0);
  row.keep(3, 9);
  row.all().values[1] = std::bit_cast<double>(kStaleBits);
  row.dropStale();
  EXPECT(areSame(row, {3, 5, 6, 7, 8}));
  row.shorten(2);
  EXPECT(areSame(row, {3, 5}));
  row.push(20, 20);
  EXPECT(areSame(row, {3, 5, 20}));
  StepSamples taken = std::exchange(row, {});
  EXPECT(areSame(taken, {3, 5, 20}) && row.size() == 0 && taken.bytes() >= 3 * 16);
}
