#include "engine/segment_split.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "model/file_names.h"

namespace seriesdb {
namespace {

// One day: long enough that a chunk of a series sampled every ten seconds is full.
constexpr std::int64_t kPartitionSeconds = 86'400;
// From so many parts of the limit on an operator is told: months before it, as flushes mostly go.
constexpr std::uint64_t kToldPart = 4;
// Stands for all partitions that share the last segment.
constexpr std::int64_t kShared = INT64_MAX;

std::int64_t partitionOf(Timestamp ts, std::int64_t width) {
  return ts / width - (ts % width < 0 ? 1 : 0);
}

class Split {
 public:
  Split(EngineState& state, std::uint64_t firstNumber)
      : state_(state),
        width_(unitsPerSecond(state.options.unit) * kPartitionSeconds),
        nextNumber_(firstNumber) {}

  // First pass: which partitions are large enough for a segment of their own.
  void count(std::span<const Sample> samples) {
    forEachPartition(samples, [this](std::int64_t partition, std::span<const Sample> part) {
      counts_[partition] += part.size();
      return true;
    });
  }

  // Returns how many segments there will be.
  std::size_t choose() {
    if (counts_.size() <= kSplitMax) return counts_.size();
    std::vector<std::pair<std::uint64_t, std::int64_t>> bySize;
    for (const auto& [partition, count] : counts_) bySize.emplace_back(count, partition);
    std::sort(bySize.rbegin(), bySize.rend());
    for (std::size_t i = kSplitMax - 1; i < bySize.size(); ++i) counts_.erase(bySize[i].second);
    return kSplitMax;
  }

  // Second pass. The samples of one series that share a segment must go there in one piece.
  Status add(SeriesRef ref, std::span<const Sample> samples) {
    ts_.clear();
    values_.clear();
    Status status;
    forEachPartition(samples, [&](std::int64_t partition, std::span<const Sample> part) {
      if (!counts_.contains(partition)) {
        append(part, ts_, values_);
        return true;
      }
      partTs_.clear();
      partValues_.clear();
      append(part, partTs_, partValues_);
      status = write(partition, ref, partTs_, partValues_);
      return status.ok();
    });
    if (status.ok() && !ts_.empty()) status = write(kShared, ref, ts_, values_);
    return status;
  }

  Result<std::vector<SegmentFacts>> finish(std::uint64_t sequenceMax) {
    std::vector<SegmentFacts> all;
    for (auto& [partition, writer] : writers_) {
      auto facts = writer->finish(sequenceMax);
      if (!facts.ok()) return facts.status();
      all.push_back(facts.value());
    }
    std::sort(all.begin(), all.end(),
              [](const SegmentFacts& a, const SegmentFacts& b) { return a.number < b.number; });
    return all;
  }

 private:
  template <typename Visit>
  void forEachPartition(std::span<const Sample> samples, Visit visit) const {
    std::size_t begin = 0;
    while (begin < samples.size()) {
      const std::int64_t partition = partitionOf(samples[begin].ts, width_);
      const auto end = std::partition_point(
          samples.begin() + static_cast<std::ptrdiff_t>(begin), samples.end(),
          [&](const Sample& s) { return partitionOf(s.ts, width_) == partition; });
      const auto size = static_cast<std::size_t>(end - samples.begin()) - begin;
      if (!visit(partition, samples.subspan(begin, size))) return;
      begin += size;
    }
  }

  static void append(std::span<const Sample> part, std::vector<Timestamp>& ts,
                     std::vector<double>& values) {
    for (const Sample& sample : part) {
      ts.push_back(sample.ts);
      values.push_back(sample.value);
    }
  }

  Status write(std::int64_t partition, SeriesRef ref, std::span<const Timestamp> ts,
               std::span<const double> values) {
    auto& writer = writers_[partition];
    if (!writer) {
      auto made = SegmentWriter::create(state_.fs, state_.path(file_names::kSegmentDirectory),
                                        nextNumber_++);
      if (!made.ok()) return made.status();
      writer = std::move(made).value();
    }
    return writer->addSeries(ref, ts, values);
  }

  EngineState& state_;
  std::int64_t width_;
  std::uint64_t nextNumber_;
  std::map<std::int64_t, std::uint64_t> counts_;
  std::map<std::int64_t, std::unique_ptr<SegmentWriter>> writers_;
  std::vector<Timestamp> ts_;
  std::vector<double> values_;
  std::vector<Timestamp> partTs_;
  std::vector<double> partValues_;
};

// The manifest's, so that damaged ones count as well.
std::size_t segmentCount(const EngineState& state) {
  return state.manifest->state().segments.size();
}

Status checkRoom(const EngineState& state, std::size_t added) {
  const std::uint64_t limit = state.options.segmentCountMax;
  const std::size_t count = segmentCount(state);
  if (count <= limit && added <= limit - count) return {};
  std::string told = "there are " + std::to_string(count) + " segments, and no more than " +
                     std::to_string(limit) + " can be had";
  return {StatusCode::kExhausted, std::move(told)};
}

}  // namespace

void reportSegmentCount(EngineState& state) {
  const std::uint64_t limit = state.options.segmentCountMax;
  const std::size_t count = segmentCount(state);
  std::string reason;
  if (count >= limit / kToldPart) {
    reason = "there are " + std::to_string(count) + " segments, which makes reads slow; with " +
             std::to_string(limit) + " no flush is possible any more";
  }
  state.health.report("segments", reason);
}

Result<std::vector<SegmentFacts>> writeSegments(EngineState& state, const Memtable& memtable,
                                                std::uint64_t firstNumber,
                                                std::uint64_t sequenceMax) {
  Split split(state, firstNumber);
  memtable.forEachSeries([&](SeriesRef, std::span<const Sample> samples) {
    split.count(samples);
    return true;
  });
  const Status room = checkRoom(state, split.choose());
  if (!room.ok()) return room;
  Status status;
  memtable.forEachSeries([&](SeriesRef ref, std::span<const Sample> samples) {
    status = split.add(ref, samples);
    return status.ok();
  });
  if (!status.ok()) return status;
  return split.finish(sequenceMax);
}

}  // namespace seriesdb
