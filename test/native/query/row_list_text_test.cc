// Raw rows as text: the same on any thread.

#include "query/rows/row_list_text.h"

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <thread>

#include "harness.h"
#include "storage/engine/engine_fixture.h"

using namespace seriesdb;

namespace {

constexpr std::uint32_t kSeries = 40;

// Each row has a label of `labelBytes` bytes.
std::string lines(std::size_t labelBytes) {
  std::string text;
  for (std::uint32_t series = 0; series < kSeries; ++series) {
    text += R"({"metric":"m)" + std::to_string(series) + R"(","labels":{"l":")" +
            std::string(labelBytes, 'x') + R"("},"ts":1,"value":1})" + "\n";
  }
  return text;
}

TextPlan plan() {
  TextPlan plan;
  for (const auto kind : {TextColumn::Kind::kTime, TextColumn::Kind::kMetric,
                          TextColumn::Kind::kLabel, TextColumn::Kind::kValue}) {
    plan.columns.push_back({kind, 0, "l", plan.columns.empty() ? "[" : ","});
  }
  plan.rowEnd = "]";
  plan.between = ",";
  return plan;
}

std::string rowText(const SampleRow& row, std::size_t labelBytes) {
  return "[" + std::to_string(row.ts) + ",\"m" + std::to_string(row.place) + "\",\"" +
         std::string(labelBytes, 'x') + "\"," +
         (std::isfinite(row.value) ? std::to_string(static_cast<int>(row.value)) : "null") + "]";
}

}  // namespace

TEST("rows print to the same text with one thread and with several, in bounded pieces") {
  std::mt19937_64 random(test::seed());
  for (const std::size_t labelBytes : {10, 3000}) {
    test::Database database;
    REQUIRE(database.open().ok());
    REQUIRE(database.ingest(lines(labelBytes)).ok());
    const PinnedIndex index = database.engine().index();
    std::vector<SeriesRef> refs;
    for (SeriesRef ref = 0; ref < kSeries; ++ref) refs.push_back(ref);
    for (int round = 0; round < 12; ++round) {
      const bool isFew = round % 3 == 0;
      // Lists, some of them empty, as slices of time may be.
      std::vector<std::vector<SampleRow>> lists(random() % 5);
      std::string expected;
      std::uint64_t wanted = 0;
      for (auto& list : lists) {
        list.resize(random() % 2 == 0 ? 0 : random() % (isFew ? 10 : 200'000 / labelBytes * 10));
        for (SampleRow& row : list) {
          row = {static_cast<Timestamp>(random() % 100'000),
                 static_cast<std::uint32_t>(random() % kSeries),
                 static_cast<double>(random() % 1000)};
          if (random() % 50 == 0) row.value = std::numeric_limits<double>::infinity();
          if (wanted++ > 0) expected += ",";
          expected += rowText(row, labelBytes);
        }
      }
      for (const std::size_t threadCount : {1, 2, 5}) {
        std::vector<std::thread> threads;
        const auto post = [&threads](std::function<void()> task) {
          threads.emplace_back(std::move(task));
          return true;
        };
        SeriesFrames frames(*index, refs, plan());
        RowListText text(RowLists({lists.begin(), lists.end()}), frames);
        std::string printed;
        std::uint64_t count = 0;
        RowTexts piece;
        do {
          text.next(piece, {post, threadCount});
          if (count > 0 && piece.rowCount > 0) printed += ",";
          printed += piece.text;
          count += piece.rowCount;
          EXPECT(piece.text.size() < 2 * TextSink::kPieceSize);
        } while (!piece.isLast);
        for (std::thread& thread : threads) thread.join();
        EXPECT(count == wanted);
        EXPECT(printed == expected);
      }
    }
  }
}
