// The series of a database: identity -> dense ref and public id; names; descriptors of metrics;
// bounds. Thread-safe (one reader-writer lock inside): the ingest thread and recovery create
// series, and any thread reads them.
//
// A series is *created* when a request that names it commits. It becomes *visible* with its first
// applied sample (noteSamples). Only visible series are found by selectors and counted.
//
// A series without samples still takes memory, until a *generation* of the index is made without it
// (NextGeneration): there it is *gone*. Its ref is never reused; a later series with the same
// identity gets another ref.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/locks.h"
#include "common/base/status.h"
#include "common/types/identity.h"
#include "common/types/sample.h"
#include "index/selection/series_filter.h"
#include "index/selection/series_listing.h"
#include "index/series_codes.h"

namespace seriesdb {

class NextGeneration;
class SeriesLoad;

// All refs are below it: users of refs may use the highest bit as a flag. Each ref is used once, so
// this limits the number of series in a database's whole life.
inline constexpr std::uint32_t kSeriesRefsMax = std::uint32_t{1} << 31;

// A metric's descriptor; each part is write-once (nullopt = not given). Any text that fits in a
// line.
struct Descriptor {
  std::optional<std::string> kind;
  std::optional<std::string> unit;
  std::optional<std::string> description;
};
struct DescriptorView {
  std::optional<std::string_view> kind;
  std::optional<std::string_view> unit;
  std::optional<std::string_view> description;
  bool empty() const { return !kind && !unit && !description; }
};

using MetricDescriptor = std::pair<std::string, Descriptor>;
// The bytes of all its texts.
inline std::size_t textBytesOf(const MetricDescriptor& one) {
  std::size_t bytes = one.first.size();
  for (const auto& text : {&one.second.kind, &one.second.unit, &one.second.description}) {
    if (*text) bytes += (*text)->size();
  }
  return bytes;
}

struct SeriesLimits {
  std::uint64_t seriesMax = 0;           // 0 = no limit.
  std::uint64_t seriesPerMetricMax = 0;  // 0 = no limit.
};

struct SeriesDefinition {
  SeriesRef ref;  // Below kSeriesRefsMax.
  SeriesId id;    // Below 2^53, so that every JSON parser preserves it.
  std::string name;
  // Sorted by key, keys distinct, up to kLabelCountMax. With the name up to kIdentitySizeMax.
  std::vector<std::pair<std::string, std::string>> labels;
};

// The approximate heap memory of a definition: its texts and their headers.
inline std::size_t memoryBytesOf(const SeriesDefinition& series) {
  std::size_t bytes = sizeof(series) + series.name.size();
  for (const auto& label : series.labels) {
    bytes += sizeof(label) + label.first.size() + label.second.size();
  }
  return bytes;
}

// The bytes of an index, by purpose.
struct IndexMemory {
  std::uint64_t tables = 0;    // Lookup of identities and ids.
  std::uint64_t series = 0;    // For each series: id, name and label numbers.
  std::uint64_t bounds = 0;    // For series and names.
  std::uint64_t postings = 0;  // The series of each name and label.
  std::uint64_t texts = 0;     // Names, keys, labels, descriptors.
  std::uint64_t labels = 0;    // Other data of these texts: lookup, order.

  std::uint64_t total() const { return tables + series + bounds + postings + texts + labels; }
};

class SeriesIndex {
 public:
  static std::unique_ptr<SeriesIndex> make(SeriesLimits limits);
  virtual ~SeriesIndex() = default;

  // Finds by identity text; includes series that are not yet visible.
  virtual std::optional<SeriesRef> find(std::string_view identity) const = 0;
  // Finds or creates a series. kSeriesLimit if a limit would be exceeded. REQUIRES: labels sorted
  // by key.
  virtual Result<SeriesRef> findOrCreate(std::string_view name, std::span<const Label> labels) = 0;
  // kSeriesLimit if `newOfMetric` more series of metric `name`, or `newCount` more in all, would
  // exceed a limit.
  virtual Status checkRoom(std::string_view name, std::uint32_t newOfMetric,
                           std::uint32_t newCount) const = 0;
  virtual bool hasLimits() const = 0;
  // Sets the bytes that new series may take; the caller knows the other memory in use. Any thread.
  void tellRoom(std::uint64_t bytes) { room_.store(bytes, std::memory_order_relaxed); }
  std::uint64_t room() const { return room_.load(std::memory_order_relaxed); }
  // The approximate maximum memory of a new series: its name and labels may all be new.
  static constexpr std::uint64_t bytesOfNew(std::size_t identitySize) {
    return kBytesOfNew + identitySize;
  }
  // kSeriesLimit if new series of so many bytes would exceed room().
  virtual Status checkBytes(std::uint64_t bytes) const = 0;
  // The number of refusals since the last call. Any thread.
  std::uint64_t takeRefused() const { return refused_.exchange(0, std::memory_order_relaxed); }
  // Takes a series from CATALOG or WAL with its recorded numbers. A series that is known with equal
  // content, or gone, is ignored. Unknown refs arrive in ascending order; a gap or a contradiction
  // is kStorageCorrupt. If the identity or id exists under a lower ref, that series had been
  // deleted; it is gone from now on.
  Status restore(const SeriesDefinition& definition) { return restore({&definition, 1}); }
  // Restores many in order. After a failure, discard the index.
  Status restore(std::span<const SeriesDefinition> definitions);
  // REQUIRES: the load was made by emptyLoad().
  virtual Status restoreAll(const SeriesLoad& load) = 0;
  virtual SeriesLoad emptyLoad() const = 0;
  // Makes room for this many series in all.
  virtual void expect(std::uint32_t seriesCount) = 0;
  // Declares the series from createdCount() up to `end` gone. kStorageCorrupt if `end` is below
  // createdCount() or above kSeriesRefsMax.
  virtual Status skip(std::uint32_t end) = 0;
  // True if the series of the ref is not gone. REQUIRES: ref < createdCount()
  virtual bool has(SeriesRef ref) const = 0;

  // Selectors (visible series only).
  virtual std::optional<SeriesRef> findById(SeriesId id) const = 0;
  virtual std::optional<SeriesRef> findExact(std::string_view name,
                                             std::span<const Label> labels) const = 0;
  // The series without labels, else the only series of that name. Several series:
  // kAmbiguousSelector (count and advice in the message). No series: nullopt.
  virtual Result<std::optional<SeriesRef>> findByName(std::string_view name) const = 0;
  // The error for a name that `count` series share.
  static Status ambiguous(std::size_t count, std::string_view name);

  // A copy of the series' definition. REQUIRES: has(ref)
  virtual SeriesDefinition definition(SeriesRef ref) const = 0;
  virtual SeriesId idOf(SeriesRef ref) const = 0;
  virtual std::uint32_t createdCount() const = 0;
  // Series that are not gone.
  virtual std::uint32_t heldCount() const = 0;
  virtual std::uint32_t visibleCount() const = 0;

  // The visible series that match, ascending. Includes all that became visible before the call, and
  // perhaps some that do so during it.
  virtual std::vector<SeriesRef> select(const SeriesFilter& filter) const = 0;
  // The same if it surely takes only microseconds, because the lists are few and short; else
  // nullopt.
  virtual std::optional<std::vector<SeriesRef>> selectFew(const SeriesFilter& filter) const = 0;
  // The visible series that an older version stored with an empty label value, ascending.
  virtual std::vector<SeriesRef> withEmptyLabel() const = 0;
  // Views that live as long as the index. Take no lock. REQUIRES (both): has(ref)
  virtual std::string_view nameOf(SeriesRef ref) const = 0;
  // Replaces the content of `labels` by the labels of the series, sorted by key.
  virtual void labelsOf(SeriesRef ref, std::vector<Label>& labels) const = 0;

  // See the functions of these names in series_codes.h. REQUIRES: as nameOf()
  virtual TextCodes codeNames(std::span<const SeriesRef> refs) const = 0;
  virtual TextCodes codeLabel(std::string_view key, std::span<const SeriesRef> refs) const = 0;

  // See the functions of these names in series_listing.h.
  virtual void sortById(std::vector<SeriesRef>& refs, std::size_t countMax) const = 0;
  virtual void describe(std::span<const SeriesRef> refs, SeriesBatch& batch) const = 0;
  virtual std::vector<MetricFacts> metrics(const ListPart& part,
                                           std::optional<Timestamp> inactiveBefore) const = 0;
  virtual std::vector<MetricFacts> metricsOf(std::span<const SeriesRef> refs,
                                             std::optional<Timestamp> inactiveBefore) const = 0;
  virtual std::vector<std::string_view> labelValues(std::string_view key,
                                                    const ListPart& part) const = 0;
  virtual std::vector<std::string_view> labelValues(std::string_view key, const ListPart& part,
                                                    std::span<const SeriesRef> refs) const = 0;

  // Makes the series visible and widens their bounds; a gone series stays gone. REQUIRES (both):
  // called by one thread at a time; refs below createdCount(); columns of equal length.
  virtual void noteSamples(std::span<const SeriesRef> refs, std::span<const Timestamp> ts) = 0;
  virtual void noteSamples(SeriesRef ref, Timestamp tsMin, Timestamp tsMax) = 0;
  // Sets the bounds of series that have lost samples. A series with no samples left becomes
  // invisible; gone series are ignored. The bounds of their names may be too wide until renewed.
  // Replaces some hundred series under one lock. REQUIRES: as noteSamples(); `bounds` is as long as
  // `refs`.
  virtual void replaceBounds(std::span<const SeriesRef> refs,
                             std::span<const std::optional<TimeRange>> bounds) = 0;
  // Renews the bounds of names in three steps, because the second looks at every series of a name.
  // beginNameRenewal returns up to `countMax` names that need it. boundsOfNames computes the bounds
  // from their series. endNameRenewal sets them, widened by the samples noted meanwhile. REQUIRES:
  // begin and end as noteSamples(), and no replaceBounds() between them.
  virtual std::vector<std::uint32_t> beginNameRenewal(std::size_t countMax) = 0;
  virtual std::vector<std::optional<TimeRange>> boundsOfNames(
      std::span<const std::uint32_t> names) const = 0;
  virtual void endNameRenewal(std::span<const std::uint32_t> names,
                              std::span<const std::optional<TimeRange>> bounds) = 0;
  // Renews all names; may take long. REQUIRES: as noteSamples().
  void renewNames();
  virtual std::optional<TimeRange> boundsOf(SeriesRef ref) const = 0;

  // kDescriptorConflict if a given part differs from the stored one (the message names metric, part
  // and both values).
  virtual Status checkDescriptor(std::string_view metric, const DescriptorView& given) const = 0;
  // Sets the parts that were unset, after the same check. True if anything changed.
  virtual Result<bool> mergeDescriptor(std::string_view metric, const DescriptorView& given) = 0;
  virtual Descriptor descriptorOf(std::string_view metric) const = 0;
  // Memory of all descriptors, in bytes.
  virtual std::uint64_t descriptorBytes() const = 0;
  virtual void forEachDescriptor(
      const std::function<void(std::string_view, const Descriptor&)>& visit) const = 0;

  // True if a limit has refused a series for which a next generation may have room.
  virtual bool wantsRoom() const = 0;
  // Begins a generation without the invisible series below `keptFrom`. REQUIRES: one at a time;
  // until it ends, bounds are neither replaced nor renewed.
  virtual std::unique_ptr<NextGeneration> beginGeneration(SeriesRef keptFrom) = 0;

  // Neither waits for a lock: while another thread changes the index, the last counted values are
  // returned.
  virtual std::uint64_t memoryBytes() const = 0;
  virtual IndexMemory memoryParts() const = 0;
  // The waits of all threads for its lock.
  virtual const LockWaits& waits() const = 0;

 protected:
  void noteRefused() const { refused_.fetch_add(1, std::memory_order_relaxed); }

 private:
  // Memory of a series with one unique pair, without its text; measured over a million series.
  static constexpr std::uint64_t kBytesOfNew = 128;

  std::atomic<std::uint64_t> room_{UINT64_MAX};
  mutable std::atomic<std::uint64_t> refused_{0};
};

// An index built beside the current one, which stays in use. The current index must live until
// finish() returns or this object is destroyed.
class NextGeneration {
 public:
  virtual ~NextGeneration() = default;
  // Examines about `count` more series and takes over the series to keep. False if no more series
  // exist now, or if a left-behind one has samples again.
  virtual bool takeSome(std::size_t count) = 0;
  // Takes over the rest, which should be few. Null if a series that was left behind has samples
  // again. REQUIRES: called as noteSamples(), which then continues with the new index.
  virtual std::unique_ptr<SeriesIndex> finish() = 0;
  // Series of the previous index that this one leaves out, ascending. Call after finish().
  virtual const std::vector<SeriesRef>& left() const = 0;
  // Bytes of the new index and of the data to build it, as of the last takeSome(). Not thread-safe.
  virtual std::uint64_t memoryBytes() const = 0;
};

}  // namespace seriesdb
