// The SeriesIndex in memory. Included by its tests, which hand in another id function; all others
// use SeriesIndex::make.
//
// Locking: mutex_ guards every table; bounds and counts are atomics beside it, so that noteSamples
// on a visible series, boundsOf and the counts take no lock. A series is a run of pair numbers in
// pairRuns_ and 16 bytes in series_; both hold what label postings would be built from.
#pragma once

#include <atomic>
#include <memory>
#include <shared_mutex>
#include <string>
#include <vector>

#include "base/shared_mutex.h"
#include "index/chunked_array.h"
#include "index/descriptor_table.h"
#include "index/label_pairs.h"
#include "index/ref_table.h"
#include "index/series_bounds.h"
#include "index/series_index.h"
#include "index/series_names.h"

namespace seriesdb {

// Ids have 53 bits, so that they survive every JSON parser.
inline constexpr SeriesId kSeriesIdMask = (SeriesId{1} << 53) - 1;

class MemorySeriesIndex final : public SeriesIndex {
 public:
  using IdOfIdentity = SeriesId (*)(std::string_view identity);
  MemorySeriesIndex(SeriesLimits limits, IdOfIdentity idOfIdentity);

  std::optional<SeriesRef> find(std::string_view identity) const override;
  Result<SeriesRef> findOrCreate(std::string_view name, std::span<const Label> labels) override;
  Status checkRoom(std::string_view name, std::uint32_t newOfMetric,
                   std::uint32_t newCount) const override;
  Status restore(const SeriesDefinition& definition) override;

  std::optional<SeriesRef> findById(SeriesId id) const override;
  std::optional<SeriesRef> findExact(std::string_view name,
                                     std::span<const Label> labels) const override;
  Result<std::optional<SeriesRef>> findByName(std::string_view name) const override;

  SeriesDefinition definition(SeriesRef ref) const override;
  SeriesId idOf(SeriesRef ref) const override;
  std::uint32_t createdCount() const override { return created_.load(std::memory_order_acquire); }
  std::uint32_t visibleCount() const override { return visible_.load(std::memory_order_acquire); }

  void noteSamples(SeriesRef ref, Timestamp tsMin, Timestamp tsMax) override;
  std::optional<TimeRange> boundsOf(SeriesRef ref) const override;

  Status checkDescriptor(std::string_view metric, const DescriptorView& given) const override;
  Result<bool> mergeDescriptor(std::string_view metric, const DescriptorView& given) override;
  Descriptor descriptorOf(std::string_view metric) const override;
  void forEachDescriptor(
      const std::function<void(std::string_view, const Descriptor&)>& visit) const override;

  std::uint64_t memoryBytes() const override;

 private:
  // pairsAt indexes pairRuns_: the number of labels, then that many pair numbers, sorted by key.
  struct Series {
    SeriesId id;
    std::uint32_t name;
    std::uint32_t pairsAt;
  };
  // A series as asked for: its identity text and where the canonical text of each label lies in it.
  struct Wanted;

  std::uint32_t hashOf(std::string_view identity) const;
  std::uint32_t hashOf(SeriesId id) const;

  // All below: REQUIRES mutex_ held, exclusively where not const.
  SeriesRef findLocked(const Wanted& wanted) const;
  SeriesRef findIdLocked(SeriesId id) const;
  std::span<const std::uint32_t> pairsOf(const Series& series) const;
  bool isIdentity(SeriesRef ref, std::string_view identity) const;
  Status checkRoomLocked(std::string_view name, std::uint64_t newOfMetric,
                         std::uint64_t newCount) const;
  Result<SeriesRef> addLocked(const Wanted& wanted, SeriesId id);
  void publishLocked(SeriesRef ref);

  const SeriesLimits limits_;
  const IdOfIdentity idOfIdentity_;
  const std::uint64_t hashSeed_;

  mutable SharedMutex mutex_;
  SeriesNames names_;
  LabelPairs pairs_;
  ChunkedArray<Series, 12> series_;
  ChunkedArray<std::uint32_t, 14> pairRuns_;
  RefTable byIdentity_;
  RefTable byId_;
  DescriptorTable descriptors_;

  SeriesBounds bounds_;
  std::atomic<std::uint32_t> created_ = 0;
  std::atomic<std::uint32_t> visible_ = 0;
};

}  // namespace seriesdb
