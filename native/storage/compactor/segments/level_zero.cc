#include "storage/compactor/segments/level_zero.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "common/types/file_names.h"
#include "storage/compaction/ladder.h"

namespace seriesdb {
namespace {

// The operator is warned from this part of the limit on, at normal flush rates months before it.
constexpr std::uint64_t kToldPart = 4;

class LevelZeroFile {
 public:
  LevelZeroFile(const EngineSettings& settings, std::uint64_t number)
      : settings_(settings), number_(number), slot_(widthOf(kWidestSlot, settings.options.unit)) {}

  // Cuts chunks at the ends of the widest slots. So one late sample does not stretch a chunk over a
  // long time.
  Status add(SeriesRef ref, std::span<const Sample> samples) {
    while (!samples.empty()) {
      const Timestamp last = slotRange(slotOf(samples.front().ts, slot_), slot_).end;
      const auto end = std::partition_point(samples.begin(), samples.end(),
                                            [last](const Sample& s) { return s.ts <= last; });
      const auto count = static_cast<std::size_t>(end - samples.begin());
      ts_.clear();
      values_.clear();
      for (const Sample& sample : samples.first(count)) {
        ts_.push_back(sample.ts);
        values_.push_back(sample.value);
      }
      const Status status = write(ref);
      if (!status.ok()) return status;
      samples = samples.subspan(count);
    }
    return {};
  }

  Result<std::optional<SegmentFacts>> finish(std::uint64_t sequenceMax) {
    if (!writer_) return std::optional<SegmentFacts>();
    auto facts = writer_->finish(sequenceMax);
    if (!facts.ok()) return facts.status();
    return std::optional(facts.value());
  }

 private:
  Status write(SeriesRef ref) {
    if (!writer_) {
      auto made = SegmentWriter::create(settings_.fs, settings_.options.directory, number_);
      if (!made.ok()) return made.status();
      writer_ = std::move(made).value();
    }
    return writer_->addSeries(ref, ts_, values_);
  }

  const EngineSettings& settings_;
  const std::uint64_t number_;
  const Duration slot_;
  std::unique_ptr<SegmentWriter> writer_;
  std::vector<Timestamp> ts_;
  std::vector<double> values_;
};

// The count of MANIFEST, which includes damaged segments.
std::size_t segmentCount(ManifestHolder& manifestHolder) {
  const auto manifest = manifestHolder.hold();
  return manifest->state().segments.size();
}

}  // namespace

void reportSegmentCount(ManifestHolder& manifestHolder, std::uint64_t countMax, Health& health) {
  const std::size_t count = segmentCount(manifestHolder);
  std::string reason;
  if (count >= countMax / kToldPart) {
    reason = "there are " + std::to_string(count) + " segments, which makes reads slow; with " +
             std::to_string(countMax) + " no flush is possible any more";
  }
  health.report("segments", reason);
}

Result<std::optional<SegmentFacts>> writeLevelZero(const EngineSettings& settings,
                                                   ManifestHolder& manifestHolder,
                                                   const Memtable& memtable, std::uint64_t number,
                                                   std::uint64_t sequenceMax) {
  const std::size_t count = segmentCount(manifestHolder);
  if (count >= settings.options.segmentCountMax && memtable.sampleCount() > 0) {
    std::string told = "there are " + std::to_string(count) + " segments, and no more than " +
                       std::to_string(settings.options.segmentCountMax) + " can be had";
    return Status(StatusCode::kExhausted, std::move(told));
  }
  LevelZeroFile file(settings, number);
  Status status;
  memtable.forEachSeries([&](SeriesRef ref, std::span<const Sample> samples) {
    status = file.add(ref, samples);
    return status.ok();
  });
  if (!status.ok()) return status;
  return file.finish(sequenceMax);
}

}  // namespace seriesdb
