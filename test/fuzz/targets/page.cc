#include <bit>

#include "common/base/check.h"
#include "format/codec/series.h"
#include "format/segment/directory_page.h"
#include "target.h"

using namespace seriesdb;
using namespace seriesdb::fuzz;

namespace {

// The fence's bounds, before the bytes of the page.
void appendBounds(ByteBuffer& out, const PageBounds& bounds) {
  appendLe(out, bounds.firstRef);
  appendLe(out, bounds.chunkCount);
  appendLe(out, bounds.tsMin);
  appendLe(out, bounds.tsMax);
}

std::vector<ByteBuffer> makePages(Random& random) {
  std::vector<ByteBuffer> all;
  const auto generators = test::generators();
  for (std::size_t count = 1; count < 12; ++count) {
    std::vector<ChunkEntry> chunks;
    ByteBuffer file(24);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t samples = 1 + random() % 30;
      const auto ts = test::makeTimestamps(count % test::kClockKinds, samples, random);
      const auto& generator = generators[random() % generators.size()];
      const auto values = test::makeValues(generator, samples, random);
      const std::uint64_t offset = file.size();
      const ChunkSummary summary = encodeChunk(ts, values, file);
      const auto series = static_cast<SeriesRef>(i * (1 + count % 3));
      chunks.push_back({series, static_cast<std::uint32_t>(file.size() - offset), offset, summary,
                        ChunkEntry::kNoPlace});
    }
    ByteBuffer page;
    const PageBounds bounds = appendPage(page, chunks, 0);
    appendBounds(all.emplace_back(), bounds);
    appendBytes(all.back(), page);
  }
  return all;
}

// Reads every other series in one call; the rows must equal those read one by one.
void readTogether(const DirectoryPage& page, std::span<const ChunkEntry> chunks) {
  std::vector<SeriesRef> series;
  for (std::size_t i = 0; i < chunks.size(); i += 2) {
    if (series.empty() || series.back() < chunks[i].series) series.push_back(chunks[i].series);
  }
  std::vector<std::uint16_t> rows(kPageChunks);
  rows.resize(page.rowsOf(series, rows, [](std::size_t) { return true; }));
  CHECK(rows.size() >= series.size());
  std::vector<ChunkEntry> together(rows.size());
  page.readRows(rows, together);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(together[i].offset == chunks[rows[i]].offset && together[i].size == chunks[rows[i]].size);
  }
}

bool readPage(Bytes input) {
  ByteReader in(input);
  PageBounds bounds;
  bounds.firstRef = in.readLe<SeriesRef>();
  bounds.chunkCount = in.readLe<std::uint16_t>();
  bounds.tsMin = in.readLe<Timestamp>();
  bounds.tsMax = in.readLe<Timestamp>();
  if (!in.ok()) return false;
  const Bytes page = in.rest();
  ByteBuffer bytes(page.begin(), page.end());
  bytes.resize(page.size() + kPageSlack);
  constexpr ChunkArea kArea{24, 1 << 20};
  if (!isPage(Bytes(bytes).first(page.size()), bounds, kArea)) return false;
  const DirectoryPage view(bytes.data());
  std::vector<ChunkEntry> chunks(view.chunkCount());
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    view.read(i, chunks[i]);
    const ChunkEntry& entry = chunks[i];
    const auto places = view.placesOf(entry.series);
    CHECK(places.begin <= i && i < places.end && places.end <= chunks.size());
    CHECK(entry.offset >= kArea.begin && entry.size > 0 && entry.size <= kArea.end - entry.offset);
    CHECK(entry.summary.count >= 1 && entry.summary.count <= kChunkSamplesMax);
    CHECK(entry.summary.tsMin >= bounds.tsMin && entry.summary.tsMax <= bounds.tsMax);
    CHECK(entry.summary.tsMin <= entry.summary.tsMax);
    if (entry.summary.hasExactSum()) static_cast<void>(entry.summary.exactSum());
  }
  readTogether(view, chunks);
  return true;
}

const Registration registration{{
    .name = "page",
    .sentence = "a page of a directory is refused, or its entries lie inside and have sense",
    .read = &readPage,
    .seeds = &makePages,
}};

}  // namespace
