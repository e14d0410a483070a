#include "maintenance/inspection_rows.h"

#include <array>

#include "format/log/wal_reader.h"

namespace seriesdb {
namespace {

// Indexed by the numbers on disk.
constexpr std::array kValueCodecNames = {
    "raw",         "xor",           "const",         "linear",
    "decimal_for", "decimal_delta", "decimal_coded", "decimal_special"};
constexpr std::array kTimestampCodecNames = {"step", "step_residual", "delta", "delta_of_delta"};
static_assert(kValueCodecNames.size() == kValueCodecMax + 1);
static_assert(kTimestampCodecNames.size() == kTimestampCodecMax + 1);

constexpr std::array kWidthNames = {"3h", "1d", "8d"};

// Indexed by CommitReason.
constexpr std::array kReasonNames = {"",        "flush",   "compact",  "delete", "retention",
                                     "migrate", "restore", "undelete", "repair", "tag"};
static_assert(kReasonNames.size() == kCommitReasonMax + 1);

}  // namespace

const char* reasonName(CommitReason reason) {
  return kReasonNames[static_cast<std::size_t>(reason)];
}

std::uint64_t sampleCountOf(const ManifestState& state) {
  std::uint64_t samples = 0;
  for (const SegmentFacts& facts : state.segments) samples += facts.sampleCount;
  return samples;
}

void printPlace(const SegmentFacts& facts, JsonLine& line) {
  if (!facts.place) {
    line.text("level", "flushed");
    return;
  }
  const PartitionPlace& place = *facts.place;
  line.text("level", isEndless(place.slot) ? "attic" : "slot").count("class", place.classNumber);
  line.text("width", kWidthNames[static_cast<std::size_t>(place.width)]);
  if (!isEndless(place.slot)) line.integer("slot", place.slot);
}

void printChunk(std::uint64_t segment, const ChunkEntry& chunk, std::string& piece) {
  const ChunkSummary& summary = chunk.summary;
  JsonLine(piece)
      .count("segment", segment)
      .count("series", chunk.series)
      .count("offset", chunk.offset)
      .count("bytes", chunk.size)
      .count("samples", summary.count)
      .integer("start", summary.tsMin)
      .integer("end", summary.tsMax)
      .text("times", kTimestampCodecNames[static_cast<std::size_t>(summary.timestampCodec)])
      .text("values", kValueCodecNames[static_cast<std::size_t>(summary.valueCodec)])
      .value("first", summary.first)
      .value("last", summary.last)
      .value("min", summary.min)
      .value("max", summary.max)
      .value("sum", summary.sum)
      .end();
}

void printRecord(const std::string& file, const LogRecord& record, std::string& piece) {
  const auto facts = lookAtRecord(record);
  JsonLine line(piece);
  line.text("file", file).count("sequence", record.sequence).count("bytes", record.payload.size());
  if (!facts.ok()) {
    line.text("error", facts.status().message()).end();
    return;
  }
  const WalRecordFacts& found = facts.value();
  line.text("record", found.kind);
  if (!isMark(record.type)) {
    line.count("new_series", found.newSeries).count("series", found.series);
    line.count("samples", found.samples);
  }
  if (found.range.start <= found.range.end) {
    line.integer("start", found.range.start).integer("end", found.range.end);
  }
  line.end();
}

}  // namespace seriesdb
