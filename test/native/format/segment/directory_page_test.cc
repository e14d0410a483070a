// The pages of a directory: each entry round-trips bit for bit, and no bytes decode to a wrong
// entry.
#include "format/segment/directory_page.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "harness.h"

using namespace seriesdb;

namespace {

using page_format::Field;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr Timestamp kTsFirst = std::numeric_limits<Timestamp>::min();
constexpr Timestamp kTsLast = std::numeric_limits<Timestamp>::max();
constexpr ChunkArea kAnywhere{0, UINT64_MAX};

// One kind of page content.
struct Kind {
  const char* name;
  double scale;  // The scale of the values.
  bool hasNans;
  bool isWild;            // Any time, any bits, any size.
  std::uint32_t gapMost;  // The largest gap between series; 0: all chunks belong to one series.
};
constexpr Kind kKinds[] = {
    {"integers of neighbours", 1, false, false, 1},
    {"hundredths of some series", 0.01, false, false, 9},
    {"thirds", 1.0 / 3, false, false, 3},
    {"one series", 1, false, false, 0},
    {"hundredths with NaNs", 0.01, true, false, 2},
    {"anything", 1, true, true, 1u << 20},
};

ChunkSummary someSummary(std::mt19937_64& random, const Kind& kind) {
  ChunkSummary summary{};
  const auto number = [&] {
    if (kind.isWild) return std::bit_cast<double>(random());
    return std::nearbyint(static_cast<double>(random() % 1'000'000)) * kind.scale;
  };
  summary.count = static_cast<std::uint16_t>(1 + random() % (kind.isWild ? 8192 : 400));
  summary.first = number();
  summary.last = number();
  summary.min = std::min(summary.first, summary.last);
  summary.max = std::max(summary.first, summary.last);
  CompensatedSum sum;
  for (int i = 0; i < 5; ++i) sum.add(number());
  summary.setSum(sum);
  if (kind.hasNans && random() % 3 == 0) {
    if (random() % 2 == 0) summary.last = kNan;
    summary.min = summary.max = summary.sum = kNan;
    summary.setRest(ChunkSummary::kNoRest);
  }
  summary.valueCodec = static_cast<ValueCodec>(random() % 6);
  summary.timestampCodec = static_cast<TimestampCodec>(random() % 4);
  return summary;
}

std::vector<ChunkEntry> someChunks(std::mt19937_64& random, const Kind& kind, std::size_t count) {
  std::vector<ChunkEntry> chunks;
  std::uint64_t offset = random() % 1'000'000;
  SeriesRef series = static_cast<SeriesRef>(random() % 1000);
  Timestamp from = 1'700'000'000'000;
  for (std::size_t i = 0; i < count; ++i) {
    ChunkEntry chunk{};
    const auto gap = static_cast<SeriesRef>(random() % (std::uint64_t{kind.gapMost} + 1));
    series += gap;
    if (gap != 0) from = 1'700'000'000'000;
    if (gap != 0 && kind.isWild) from = kTsFirst + static_cast<Timestamp>(random() / 2);
    chunk.series = series;
    chunk.offset = offset;
    chunk.size = static_cast<std::uint32_t>(1 + random() % (kind.isWild ? UINT32_MAX : 2000));
    offset += chunk.size;
    chunk.summary = someSummary(random, kind);
    chunk.summary.tsMin = from + static_cast<Timestamp>(random() % 100) * 1000;
    chunk.summary.tsMax = chunk.summary.tsMin + (chunk.summary.count - 1) * Timestamp{10'000};
    from = chunk.summary.tsMax + 10'000;
    chunks.push_back(chunk);
  }
  return chunks;
}

bool sameNumbers(const ChunkSummary& s, const ChunkSummary& t) {
  const auto same = [](double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  };
  return same(s.first, t.first) && same(s.last, t.last) && same(s.min, t.min) &&
         same(s.max, t.max) && same(s.sum, t.sum) && s.rest() == t.rest();
}

bool sameChunk(const ChunkEntry& a, const ChunkEntry& b) {
  const ChunkSummary& s = a.summary;
  const ChunkSummary& t = b.summary;
  return a.series == b.series && a.offset == b.offset && a.size == b.size && s.count == t.count &&
         s.tsMin == t.tsMin && s.tsMax == t.tsMax && s.valueCodec == t.valueCodec &&
         s.timestampCodec == t.timestampCodec && sameNumbers(s, t);
}

// A page with the slack behind it.
struct Page {
  explicit Page(std::span<const ChunkEntry> chunks) {
    bounds = appendPage(bytes, chunks, 0);
    size = bytes.size();
    bytes.resize(size + kPageSlack, 0xee);
  }
  bool isGood(ChunkArea area = kAnywhere) const {
    return isPage(Bytes(bytes).first(size), bounds, area);
  }
  DirectoryPage view() const { return DirectoryPage(bytes.data()); }

  ByteBuffer bytes;
  std::size_t size = 0;
  PageBounds bounds;
};

ChunkEntry entryOf(const DirectoryPage& page, std::size_t i) {
  ChunkEntry entry;
  page.read(i, entry);
  return entry;
}

}  // namespace

TEST("every entry of a page round-trips bit for bit, and its series is found") {
  std::mt19937_64 random(test::seed());
  for (const Kind& kind : kKinds) {
    for (const std::size_t count : {1, 2, 3, 17, 255, 256}) {
      const auto chunks = someChunks(random, kind, count);
      const Page page(chunks);
      REQUIRE(page.isGood());
      const DirectoryPage view = page.view();
      REQUIRE(view.chunkCount() == count);
      std::vector<ChunkEntry> all(count);
      view.readAll(all);
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT(sameChunk(entryOf(view, i), chunks[i]) && sameChunk(all[i], chunks[i]));
        EXPECT(view.refAt(i) == chunks[i].series && view.tsMinAt(i) == chunks[i].summary.tsMin &&
               view.tsMaxAt(i) == chunks[i].summary.tsMax);
        const auto [begin, end] = view.placesOf(chunks[i].series);
        EXPECT(begin <= i && i < end);
        EXPECT(begin == 0 || chunks[begin - 1].series < chunks[i].series);
        EXPECT(end == count || chunks[end].series > chunks[i].series);
      }
      const auto missing = view.placesOf(chunks.back().series + 1);
      EXPECT(missing.begin == missing.end);
    }
  }
}

TEST("any set of rows of a page is read as its single entries are") {
  std::mt19937_64 random(test::seed());
  for (const Kind& kind : kKinds) {
    for (const std::size_t count : {1, 2, 3, 17, 255, 256}) {
      const auto chunks = someChunks(random, kind, count);
      const Page page(chunks);
      const DirectoryPage view = page.view();
      const std::uint64_t share = 1 + random() % 40;
      std::vector<SeriesRef> series;
      for (const ChunkEntry& chunk : chunks) {
        if (random() % share == 0) series.push_back(chunk.series);
        if (random() % share == 0) series.push_back(chunk.series + 1);
      }
      std::sort(series.begin(), series.end());
      series.erase(std::unique(series.begin(), series.end()), series.end());
      std::vector<std::uint16_t> rows(kPageChunks);
      rows.resize(view.rowsOf(series, rows, [](std::size_t) { return true; }));
      std::vector<std::uint16_t> expected;
      for (std::size_t i = 0; i < count; ++i) {
        const bool isWanted = std::binary_search(series.begin(), series.end(), chunks[i].series);
        if (isWanted) expected.push_back(static_cast<std::uint16_t>(i));
      }
      EXPECT(rows == expected);
      std::vector<ChunkEntry> together(rows.size());
      view.readRows(rows, together);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT(sameChunk(together[i], chunks[rows[i]]));
      }
    }
  }
}

TEST("a page returns no more rows than the buffer has room for") {
  std::mt19937_64 random(test::seed());
  for (const Kind& kind : kKinds) {
    const auto chunks = someChunks(random, kind, kPageChunks);
    const Page page(chunks);
    std::vector<SeriesRef> series;
    for (const ChunkEntry& chunk : chunks) {
      if (series.empty() || series.back() < chunk.series) series.push_back(chunk.series);
    }
    for (const std::size_t room : {0, 1, 10, 255}) {
      constexpr std::uint16_t kUntouched = UINT16_MAX;
      std::vector<std::uint16_t> rows(kPageChunks, kUntouched);
      const auto isWanted = [](std::size_t) { return true; };
      EXPECT(page.view().rowsOf(series, std::span(rows).first(room), isWanted) == room);
      EXPECT(rows[room] == kUntouched && (room == 0 || rows[room - 1] == room - 1));
    }
  }
}

LONE_TEST("a mutated page is refused, or all its entries stay within the bounds") {
  std::mt19937_64 random(test::seed());
  int taken = 0;
  for (int round = 0; round < 20000; ++round) {
    const Kind& kind = kKinds[random() % std::size(kKinds)];
    const auto chunks = someChunks(random, kind, 1 + random() % 20);
    Page page(chunks);
    const ChunkArea area{chunks.front().offset, chunks.back().offset + chunks.back().size};
    EXPECT(page.isGood(area));
    for (std::uint64_t i = 0, flips = 1 + random() % 3; i < flips; ++i) {
      page.bytes[random() % page.size] = static_cast<std::uint8_t>(random());
    }
    if (!page.isGood(area)) continue;
    ++taken;
    const DirectoryPage view = page.view();
    for (std::size_t i = 0; i < view.chunkCount(); ++i) {
      const ChunkEntry entry = entryOf(view, i);
      EXPECT(entry.offset >= area.begin && entry.size > 0 && entry.size <= area.end - entry.offset);
      EXPECT(entry.summary.count >= 1 && entry.summary.count <= kChunkSamplesMax);
      EXPECT(entry.summary.tsMin >= page.bounds.tsMin &&
             entry.summary.tsMin <= entry.summary.tsMax &&
             entry.summary.tsMax <= page.bounds.tsMax);
    }
  }
  EXPECT(taken > 0);
}

TEST("a page is refused with wrong bounds, outside its area or at another size") {
  std::mt19937_64 random(test::seed());
  const auto chunks = someChunks(random, kKinds[1], 40);
  const Page page(chunks);
  const auto with = [&](auto change) {
    PageBounds bounds = page.bounds;
    change(bounds);
    return isPage(Bytes(page.bytes).first(page.size), bounds, kAnywhere);
  };
  EXPECT(with([](PageBounds&) {}));
  EXPECT(!with([](PageBounds& bounds) { ++bounds.firstRef; }));
  EXPECT(!with([](PageBounds& bounds) { --bounds.chunkCount; }));
  EXPECT(!with([](PageBounds& bounds) { --bounds.tsMin; }));
  EXPECT(!with([](PageBounds& bounds) { ++bounds.tsMax; }));
  const std::uint64_t end = chunks.back().offset + chunks.back().size;
  EXPECT(page.isGood({chunks.front().offset, end}));
  EXPECT(!page.isGood({chunks.front().offset + 1, end}));
  EXPECT(!page.isGood({chunks.front().offset, end - 1}));
  for (std::size_t size = 0; size < page.size; ++size) {
    EXPECT(!isPage(Bytes(page.bytes).first(size), page.bounds, kAnywhere));
  }
}

TEST("similar neighbouring entries take less than 8 bytes each") {
  std::vector<ChunkEntry> chunks;
  std::mt19937_64 random(test::seed());
  std::uint64_t offset = 24;
  for (SeriesRef series = 0; series < kPageChunks; ++series) {
    ChunkEntry chunk{};
    chunk.series = series;
    chunk.offset = offset;
    chunk.size = static_cast<std::uint32_t>(30 + random() % 8);
    offset += chunk.size;
    chunk.summary.count = 62;
    chunk.summary.tsMin = 1'700'000'000'000;
    chunk.summary.tsMax = chunk.summary.tsMin + 61 * 10'000;
    chunk.summary.first = static_cast<double>(random() % 100);
    chunk.summary.last = static_cast<double>(random() % 100);
    chunk.summary.max = 100;
    chunk.summary.sum = static_cast<double>(random() % 6200);
    chunks.push_back(chunk);
  }
  EXPECT(Page(chunks).size < 8 * kPageChunks);
}
