// Frames of chunks: their content, their size, and where a series continues.
#include "query/remote_read/chunk_frame.h"

#include "common/protobuf/message_writer.h"
#include "format/codec/series.h"
#include "query/remote_read/chunk_reader.h"
#include "query/remote_read/xor_chunk.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

struct Chunk {
  std::vector<std::int64_t> ms;
  std::vector<double> values;
};

// A chunk that no encoder can shorten.
Chunk largeChunk(std::int64_t begin, Random& random) {
  Chunk chunk;
  for (std::size_t i = 0; i < kXorChunkSamplesMax; ++i) {
    begin += 1 + static_cast<std::int64_t>(random() >> 24);
    chunk.ms.push_back(begin);
    chunk.values.push_back(anyBits(random));
  }
  return chunk;
}

}  // namespace

TEST("a frame is its size, its checksum and the protobuf message") {
  const std::vector<std::int64_t> ms = {0, 15'000};
  const std::vector<double> values = {1, 2};
  std::uint8_t data[kXorChunkSizeMax + kXorChunkSlack];
  const Bytes bits(data, writeXorChunk(data, ms, values));
  for (const std::uint64_t queryIndex : {0, 1, 300}) {
    MessageWriter label;
    label.addText(1, "__name__");
    label.addText(2, "up");
    MessageWriter chunk;
    // Zero fields are omitted: the first time, and the first query.
    chunk.addVarint(2, 15'000);
    chunk.addVarint(3, 1);
    chunk.addText(4, asText(bits));
    MessageWriter series;
    series.addMessage(1, label);
    series.addMessage(2, chunk);
    MessageWriter response;
    response.addMessage(1, series);
    if (queryIndex != 0) response.addVarint(2, queryIndex);
    ByteBuffer expected;
    appendVarint(expected, response.size());
    appendLe(expected, __builtin_bswap32(crc32c(response.bytes())));
    appendBytes(expected, response.bytes());

    ChunkFrame frame;
    std::string out;
    frame.beginSeries(queryIndex, std::vector<Label>{{"__name__", "up"}});
    frame.addChunk(ms, values, out);
    EXPECT(out.empty());
    frame.endSeries(out);
    EXPECT(out == asText(expected));
  }
}

TEST("a series without chunks writes no frame") {
  ChunkFrame frame;
  std::string out;
  frame.beginSeries(0, std::vector<Label>{{"__name__", "up"}});
  frame.endSeries(out);
  EXPECT(out.empty());
}

TEST("a long series is split into nearly full frames, each with its labels and query index") {
  Random random(seed());
  const std::string large(15'000, 'x');
  for (const std::string& value : {std::string("short"), large}) {
    ChunkFrame frame;
    std::string out;
    ChunkSamples written;
    frame.beginSeries(70, std::vector<Label>{{"__name__", "up"}, {"label", value}});
    std::int64_t at = -1'000'000;
    for (int i = 0; i < 3'000; ++i) {
      const Chunk chunk = largeChunk(at, random);
      at = chunk.ms.back();
      frame.addChunk(chunk.ms, chunk.values, out);
      for (std::size_t k = 0; k < chunk.ms.size(); ++k) {
        written.emplace_back(chunk.ms[k], std::bit_cast<std::uint64_t>(chunk.values[k]));
      }
    }
    frame.endSeries(out);
    // The next series starts a new frame.
    frame.beginSeries(71, std::vector<Label>{{"__name__", "other"}});
    frame.addChunk(std::vector<std::int64_t>{1}, std::vector<double>{1}, out);
    frame.endSeries(out);

    std::vector<ReadFrame> frames = framesOf(out);
    REQUIRE(frames.size() > 4);
    EXPECT(frames.back().queryIndex == 71 && frames.back().labels == "__name__=other,");
    frames.pop_back();
    ChunkSamples read;
    for (const ReadFrame& one : frames) {
      EXPECT(one.queryIndex == 70 && one.labels == "__name__=up,label=" + value + ",");
      EXPECT(one.size <= ChunkFrame::kSizeMax);
      if (&one != &frames.back()) EXPECT(one.size > ChunkFrame::kSizeMax - 3'000);
      for (const ReadChunk& chunk : one.chunks) {
        EXPECT(chunk.encoding == 1 && chunk.samples.size() == kXorChunkSamplesMax);
        EXPECT(chunk.minMs == chunk.samples.front().first);
        EXPECT(chunk.maxMs == chunk.samples.back().first);
        read.insert(read.end(), chunk.samples.begin(), chunk.samples.end());
      }
    }
    EXPECT(read == written);
  }
}
