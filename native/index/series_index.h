// The series of a database: identity -> dense ref and public id; names; descriptors of metrics;
// bounds. Thread-safe (one reader-writer lock inside): created by the ingest thread and recovery,
// read by all.
//
// A series is *created* when a request that names it commits, and becomes *visible* with its first
// applied sample (noteSamples). Only visible series are found by selectors and counted.
//
// A series that has lost all its samples still takes memory, until a *generation* of the index is
// made without it (NextGeneration): there it is *gone*. Its ref is never used again; a series of
// the same identity that comes later has another one.
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

// Refs are below it: the highest bit of a ref is of those that use them. Each is used once, so that
// it bounds the series that a database has in its whole life.
inline constexpr std::uint32_t kSeriesRefsMax = std::uint32_t{1} << 31;

// A metric's descriptor; each part is write-once (empty = not given). Any text that a line holds.
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
// Bytes of its texts.
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
  SeriesId id;    // Below 2^53, so that every JSON parser keeps it.
  std::string name;
  // Sorted by key, keys distinct, up to kLabelCountMax. With the name up to kIdentitySizeMax.
  std::vector<std::pair<std::string, std::string>> labels;
};

// What a definition takes in the heap, roughly: its texts and their headers.
inline std::size_t memoryBytesOf(const SeriesDefinition& series) {
  std::size_t bytes = sizeof(series) + series.name.size();
  for (const auto& label : series.labels) {
    bytes += sizeof(label) + label.first.size() + label.second.size();
  }
  return bytes;
}

// Bytes of an index, by what they are for.
struct IndexMemory {
  std::uint64_t tables = 0;    // Where identities and ids are looked up.
  std::uint64_t series = 0;    // Of each its id, its name and the numbers of its labels.
  std::uint64_t bounds = 0;    // Of series and of names.
  std::uint64_t postings = 0;  // Which series have a name or a label.
  std::uint64_t texts = 0;     // Names, keys, labels, descriptors.
  std::uint64_t labels = 0;    // What else is known of these, where they are found, their orders.

  std::uint64_t total() const { return tables + series + bounds + postings + texts + labels; }
};

class SeriesIndex {
 public:
  static std::unique_ptr<SeriesIndex> make(SeriesLimits limits);
  virtual ~SeriesIndex() = default;

  // By identity text; also series that are not yet visible.
  virtual std::optional<SeriesRef> find(std::string_view identity) const = 0;
  // Finds or creates. kSeriesLimit when a limit would be passed. REQUIRES: labels sorted by key.
  virtual Result<SeriesRef> findOrCreate(std::string_view name, std::span<const Label> labels) = 0;
  // kSeriesLimit when `newOfMetric` more series of metric `name`, or `newCount` more in all, would
  // pass a limit.
  virtual Status checkRoom(std::string_view name, std::uint32_t newOfMetric,
                           std::uint32_t newCount) const = 0;
  virtual bool hasLimits() const = 0;
  // Bytes that new series may take, as last told by who knows what else memory holds. Any thread.
  void tellRoom(std::uint64_t bytes) { room_.store(bytes, std::memory_order_relaxed); }
  std::uint64_t room() const { return room_.load(std::memory_order_relaxed); }
  // What a new series takes at most, roughly: its name and labels may all be new.
  static constexpr std::uint64_t bytesOfNew(std::size_t identitySize) {
    return kBytesOfNew + identitySize;
  }
  // kSeriesLimit when new series of so many bytes would pass room().
  virtual Status checkBytes(std::uint64_t bytes) const = 0;
  // How often it refused since the last call. Any thread.
  std::uint64_t takeRefused() const { return refused_.exchange(0, std::memory_order_relaxed); }
  // Takes a series from CATALOG or WAL with its recorded numbers. An equal one known is fine, and
  // so is one that is gone; refs arrive ascending for unknown ones (a gap or a contradiction is
  // kStorageCorrupt). One that is known under a lower ref, and another one with its id, were gone
  // when it was created: they are from here on.
  Status restore(const SeriesDefinition& definition) { return restore({&definition, 1}); }
  // The same of many, as if each were restored after the one before. After a failure the index is
  // of no use.
  Status restore(std::span<const SeriesDefinition> definitions);
  // REQUIRES: the load was made by emptyLoad().
  virtual Status restoreAll(const SeriesLoad& load) = 0;
  virtual SeriesLoad emptyLoad() const = 0;
  // Makes room for so many series in all.
  virtual void expect(std::uint32_t seriesCount) = 0;
  // The series from createdCount() up to `end` are gone. kStorageCorrupt when there are such.
  virtual Status skip(std::uint32_t end) = 0;
  // Whether the ref stands for a series that is not gone. REQUIRES: ref < createdCount()
  virtual bool has(SeriesRef ref) const = 0;

  // Selectors (visible series only).
  virtual std::optional<SeriesRef> findById(SeriesId id) const = 0;
  virtual std::optional<SeriesRef> findExact(std::string_view name,
                                             std::span<const Label> labels) const = 0;
  // D7: the series without labels; else the only one; several -> kAmbiguousSelector (count and
  // advice in the message); none -> nullopt.
  virtual Result<std::optional<SeriesRef>> findByName(std::string_view name) const = 0;
  // Its refusal, for `count` series.
  static Status ambiguous(std::size_t count, std::string_view name);

  // A copy of the series' definition. REQUIRES: has(ref)
  virtual SeriesDefinition definition(SeriesRef ref) const = 0;
  virtual SeriesId idOf(SeriesRef ref) const = 0;
  virtual std::uint32_t createdCount() const = 0;
  // Those that are not gone.
  virtual std::uint32_t heldCount() const = 0;
  virtual std::uint32_t visibleCount() const = 0;

  // The visible series that match, ascending: all that became visible before the call, and perhaps
  // some that do so during it.
  virtual std::vector<SeriesRef> select(const SeriesFilter& filter) const = 0;
  // The same where it surely takes but some microseconds, as few lists are short; else null.
  virtual std::optional<std::vector<SeriesRef>> selectFew(const SeriesFilter& filter) const = 0;
  // The visible series that an older program stored with a label without a text, ascending.
  virtual std::vector<SeriesRef> withEmptyLabel() const = 0;
  // Views that live as long as the index. Take no lock. REQUIRES (both): has(ref)
  virtual std::string_view nameOf(SeriesRef ref) const = 0;
  // Replaces the content of `labels` by those of the series, sorted by key.
  virtual void labelsOf(SeriesRef ref, std::vector<Label>& labels) const = 0;

  // What series_codes.h says of the functions of these names. REQUIRES: as nameOf()
  virtual TextCodes codeNames(std::span<const SeriesRef> refs) const = 0;
  virtual TextCodes codeLabel(std::string_view key, std::span<const SeriesRef> refs) const = 0;

  // What series_listing.h says of the functions of these names.
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

  // Makes the series visible and widens their bounds; one that is gone stays so. REQUIRES (both):
  // called by one thread at a time; refs below createdCount(). The columns are of equal length.
  virtual void noteSamples(std::span<const SeriesRef> refs, std::span<const Timestamp> ts) = 0;
  virtual void noteSamples(SeriesRef ref, Timestamp tsMin, Timestamp tsMax) = 0;
  // Sets the bounds of series that have lost samples; one that has none left is no longer visible,
  // and nothing is set of one that is gone.
  // The bounds of their names may be too wide until those are renewed. Some hundred series at a
  // time are replaced under the lock. REQUIRES: as noteSamples(); `bounds` is as long as `refs`.
  virtual void replaceBounds(std::span<const SeriesRef> refs,
                             std::span<const std::optional<TimeRange>> bounds) = 0;
  // Renewing the bounds of names, in three steps, because the second looks at every series of a
  // name: some names that need it, at most `countMax`, none when none does; what their series say;
  // what that makes, with the samples that were noted meanwhile. REQUIRES: begin and end as
  // noteSamples(), and no replaceBounds() between them.
  virtual std::vector<std::uint32_t> beginNameRenewal(std::size_t countMax) = 0;
  virtual std::vector<std::optional<TimeRange>> boundsOfNames(
      std::span<const std::uint32_t> names) const = 0;
  virtual void endNameRenewal(std::span<const std::uint32_t> names,
                              std::span<const std::optional<TimeRange>> bounds) = 0;
  // All of it, for a caller who may take long. REQUIRES: as noteSamples().
  void renewNames();
  virtual std::optional<TimeRange> boundsOf(SeriesRef ref) const = 0;

  // kDescriptorConflict when a given part differs from the one held (message names metric, part and
  // both values).
  virtual Status checkDescriptor(std::string_view metric, const DescriptorView& given) const = 0;
  // Sets the parts that were unset; the same check first. True when anything changed.
  virtual Result<bool> mergeDescriptor(std::string_view metric, const DescriptorView& given) = 0;
  virtual Descriptor descriptorOf(std::string_view metric) const = 0;
  // Memory of all descriptors.
  virtual std::uint64_t descriptorBytes() const = 0;
  virtual void forEachDescriptor(
      const std::function<void(std::string_view, const Descriptor&)>& visit) const = 0;

  // Whether a limit has refused a series that a next generation may have room for.
  virtual bool wantsRoom() const = 0;
  // A generation without the series below `keptFrom` that are not visible. REQUIRES: one at a time.
  // From here to its end no bounds are replaced or renewed.
  virtual std::unique_ptr<NextGeneration> beginGeneration(SeriesRef keptFrom) = 0;

  // Both wait for nobody: while another thread changes the index, it is what it was a moment ago.
  virtual std::uint64_t memoryBytes() const = 0;
  virtual IndexMemory memoryParts() const = 0;
  // Of all threads for its lock.
  virtual const LockWaits& waits() const = 0;

 protected:
  void noteRefused() const { refused_.fetch_add(1, std::memory_order_relaxed); }

 private:
  // Of a series with one pair that no other has, beside the text. Measured over a million.
  static constexpr std::uint64_t kBytesOfNew = 128;

  std::atomic<std::uint64_t> room_{UINT64_MAX};
  mutable std::atomic<std::uint64_t> refused_{0};
};

// An index that is built beside another one, which is used meanwhile and must be there until
// finish() returns, or this goes.
class NextGeneration {
 public:
  virtual ~NextGeneration() = default;
  // Looks at about `count` more series and takes over those that stay; false when it has come to
  // the end of those that there are.
  virtual bool takeSome(std::size_t count) = 0;
  // Takes over the rest, which should be few. Null when a series has samples again that was left
  // behind. REQUIRES: called as noteSamples(), which then goes on with the new index.
  virtual std::unique_ptr<SeriesIndex> finish() = 0;
  // Those that the one before had and this one was made without, ascending. After finish().
  virtual const std::vector<SeriesRef>& left() const = 0;
  // Of the new index and what is needed to build it, as of the last takeSome(). Not thread-safe.
  virtual std::uint64_t memoryBytes() const = 0;
};

}  // namespace seriesdb
