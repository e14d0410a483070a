// The SeriesIndex in memory. Its tests include this file and pass another id function; all other
// code uses SeriesIndex::make.
//
// Locking: see series_tables.h. Lookups of one series by its ref take no lock, nor does noteSamples
// on a visible series.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "common/base/lock_order.h"
#include "index/descriptor_table.h"
#include "index/ref_table.h"
#include "index/series_index.h"
#include "index/series_tables.h"
#include "index/series_visibility.h"

namespace seriesdb {

// Ids have 53 bits, so that every JSON parser preserves them.
inline constexpr SeriesId kSeriesIdMask = (SeriesId{1} << 53) - 1;

class MemorySeriesIndex final : public SeriesIndex {
 public:
  using IdOfIdentity = SeriesId (*)(std::string_view identity);
  MemorySeriesIndex(SeriesLimits limits, IdOfIdentity idOfIdentity);

  std::optional<SeriesRef> find(std::string_view identity) const override;
  Result<SeriesRef> findOrCreate(std::string_view name, std::span<const Label> labels) override;
  Status checkRoom(std::string_view name, std::uint32_t newOfMetric,
                   std::uint32_t newCount) const override;
  Status checkBytes(std::uint64_t bytes) const override;
  bool hasLimits() const override {
    return limits_.seriesMax != 0 || limits_.seriesPerMetricMax != 0;
  }
  Status restoreAll(const SeriesLoad& load) override;
  SeriesLoad emptyLoad() const override;
  void expect(std::uint32_t seriesCount) override;
  Status skip(std::uint32_t end) override;
  bool has(SeriesRef ref) const override;

  std::optional<SeriesRef> findById(SeriesId id) const override;
  std::optional<SeriesRef> findExact(std::string_view name,
                                     std::span<const Label> labels) const override;
  Result<std::optional<SeriesRef>> findByName(std::string_view name) const override;

  SeriesDefinition definition(SeriesRef ref) const override;
  SeriesId idOf(SeriesRef ref) const override;
  std::uint32_t createdCount() const override { return tables_.createdCount(); }
  std::uint32_t heldCount() const override {
    return createdCount() - tables_.gone.load(std::memory_order_acquire);
  }
  std::uint32_t visibleCount() const override {
    return tables_.visible.load(std::memory_order_acquire);
  }

  std::vector<SeriesRef> select(const SeriesFilter& filter) const override;
  std::optional<std::vector<SeriesRef>> selectFew(const SeriesFilter& filter) const override;
  std::vector<SeriesRef> withEmptyLabel() const override;
  std::string_view nameOf(SeriesRef ref) const override;
  void labelsOf(SeriesRef ref, std::vector<Label>& labels) const override;

  void sortById(std::vector<SeriesRef>& refs, std::size_t countMax) const override {
    seriesdb::sortById(tables_, refs, countMax);
  }
  void describe(std::span<const SeriesRef> refs, SeriesBatch& batch) const override {
    describeSeries(tables_, refs, batch);
  }
  std::vector<MetricFacts> metrics(const ListPart& part,
                                   std::optional<Timestamp> inactiveBefore) const override {
    return listMetrics(tables_, part, inactiveBefore);
  }
  std::vector<MetricFacts> metricsOf(std::span<const SeriesRef> refs,
                                     std::optional<Timestamp> inactiveBefore) const override {
    return groupByMetric(tables_, refs, inactiveBefore);
  }
  TextCodes codeNames(std::span<const SeriesRef> refs) const override {
    return seriesdb::codeNames(tables_, refs);
  }
  TextCodes codeLabel(std::string_view key, std::span<const SeriesRef> refs) const override {
    return seriesdb::codeLabel(tables_, key, refs);
  }
  std::vector<std::string_view> labelValues(std::string_view key,
                                            const ListPart& part) const override {
    return listLabelValues(tables_, key, part);
  }
  std::vector<std::string_view> labelValues(std::string_view key, const ListPart& part,
                                            std::span<const SeriesRef> refs) const override {
    return listLabelValues(tables_, key, part, refs);
  }

  void noteSamples(std::span<const SeriesRef> refs, std::span<const Timestamp> ts) override {
    visibility_.noteSamples(refs, ts);
  }
  void noteSamples(SeriesRef ref, Timestamp tsMin, Timestamp tsMax) override {
    visibility_.noteSamples(ref, tsMin, tsMax);
  }
  void replaceBounds(std::span<const SeriesRef> refs,
                     std::span<const std::optional<TimeRange>> bounds) override {
    visibility_.replaceBounds(refs, bounds);
  }
  std::vector<std::uint32_t> beginNameRenewal(std::size_t countMax) override {
    return visibility_.beginNameRenewal(countMax);
  }
  std::vector<std::optional<TimeRange>> boundsOfNames(
      std::span<const std::uint32_t> names) const override {
    return visibility_.boundsOfNames(names);
  }
  void endNameRenewal(std::span<const std::uint32_t> names,
                      std::span<const std::optional<TimeRange>> bounds) override {
    visibility_.endNameRenewal(names, bounds);
  }
  std::optional<TimeRange> boundsOf(SeriesRef ref) const override;

  Status checkDescriptor(std::string_view metric, const DescriptorView& given) const override;
  Result<bool> mergeDescriptor(std::string_view metric, const DescriptorView& given) override;
  Descriptor descriptorOf(std::string_view metric) const override;
  std::uint64_t descriptorBytes() const override;
  void forEachDescriptor(
      const std::function<void(std::string_view, const Descriptor&)>& visit) const override;

  bool wantsRoom() const override { return wantsRoom_.load(std::memory_order_relaxed); }
  std::unique_ptr<NextGeneration> beginGeneration(SeriesRef keptFrom) override;

  std::uint64_t memoryBytes() const override { return memoryParts().total(); }
  IndexMemory memoryParts() const override;
  const LockWaits& waits() const override { return tables_.mutex.waits(); }

 private:
  class Generation;  // memory_series_generation.h
  struct Wanted;  // wanted_series.h
  // A series by the numbers of its texts.
  struct Numbered {
    std::uint32_t name;
    std::span<const std::uint32_t> pairs;
  };
  using PairNumbers = std::array<std::uint32_t, kLabelCountMax>;
  class Restoring;  // restoring/memory_series_restore.h

  std::uint32_t hashOf(std::string_view identity) const;
  std::uint32_t hashOf(SeriesId id) const;

  // All functions below: REQUIRES the tables' lock, exclusively if not const.
  SeriesRef findLocked(const Wanted& wanted) const;
  SeriesRef findIdLocked(SeriesId id) const;
  std::vector<SeriesRef> findIds(std::span<const SeriesId> ids) const;
  bool isIdentity(SeriesRef ref, std::string_view identity) const;
  Status checkRoomLocked(std::string_view name, std::uint64_t newOfMetric,
                         std::uint64_t newCount) const;
  Status checkFull() const;
  SeriesRef addLocked(const Numbered& series, SeriesId id, std::uint32_t hash);
  void insertLocked(const Numbered& series, SeriesId id);
  Numbered numberLocked(const Wanted& wanted, PairNumbers& pairs);
  Status skipToLocked(std::uint32_t end);
  void skipLocked(std::uint32_t count);
  void loseLocked(SeriesRef ref);
  std::uint32_t internName(std::string_view text, std::uint32_t hash);

  const SeriesLimits limits_;
  const IdOfIdentity idOfIdentity_;
  const std::uint64_t hashSeed_;

  SeriesTables tables_;
  SeriesVisibility visibility_;
  RefTable byIdentity_;
  RefTable byId_;
  DescriptorTable descriptors_;
  mutable std::atomic<bool> wantsRoom_ = false;
  // The last counted memory, for callers that must not wait.
  mutable OrderedMutex<LockRank::kIndexMemory> countedMutex_;
  mutable IndexMemory counted_;
};

}  // namespace seriesdb
