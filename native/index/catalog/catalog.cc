#include "index/catalog/catalog.h"

#include <utility>

#include "common/base/parallel.h"
#include "index/catalog/catalog_match.h"
#include "index/catalog/catalog_record.h"

namespace seriesdb {
namespace {

// A rewrite holds at most this many definitions in memory.
constexpr std::size_t kSeriesAtATime = 16384;

// Adds `items` as packed records of about kRecordSizeAimed.
template <typename Item, typename Encode>
Status addAll(LogBatch& batch, std::uint8_t type, std::span<const Item> items,
              const Encode& encode) {
  ByteBuffer plain;
  for (std::size_t i = 0; i < items.size();) {
    plain.clear();
    while (i < items.size() && plain.size() < kRecordSizeAimed) encode(plain, items[i++]);
    const auto added = batch.add(kPackedRecord, [&](ByteBuffer& out) {
      out.push_back(type);
      return appendPacked(out, plain);
    });
    if (!added.ok()) return added.status();
  }
  return {};
}

Status addSeries(LogBatch& batch, std::uint8_t type, std::span<const SeriesDefinition> series) {
  return addAll(batch, type, series, &encodeSeriesDefinition);
}

Status addDescriptors(LogBatch& batch,
                      std::span<const std::pair<std::string, Descriptor>> descriptors) {
  return addAll(batch, kDescriptorRecord, descriptors,
                [](ByteBuffer& out, const std::pair<std::string, Descriptor>& one) {
                  encodeDescriptor(out, one.first, viewOf(one.second));
                });
}

struct Living {
  std::uint64_t count = 0;
  std::uint32_t end = 0;  // All series from here on are gone.
};

// Adds all series below `seriesCount` that are not gone.
Status addLiving(LogBatch& batch, const SeriesIndex& index, std::uint32_t seriesCount,
                 Living& living) {
  auto& [count, end] = living;
  bool isSparse = false;
  std::vector<SeriesDefinition> some;
  for (std::uint32_t ref = 0; ref < seriesCount;) {
    for (some.clear(); ref < seriesCount && some.size() < kSeriesAtATime; ++ref) {
      if (!index.has(ref)) continue;
      isSparse = isSparse || ref > end;
      end = ref + 1;
      some.push_back(index.definition(ref));
    }
    const Status added = addSeries(batch, isSparse ? kSparseSeriesRecord : kSeriesRecord, some);
    if (!added.ok()) return added;
    count += some.size();
  }
  return {};
}

Status addGone(LogBatch& batch, std::uint32_t end) {
  const auto added = batch.add(kGoneRecord, [&](ByteBuffer& out) {
    appendVarint(out, end);
    return Status();
  });
  return added.status();
}

Status matchAll(const LogPlace& place, std::span<const LogRecord> records, CatalogMatch& match) {
  std::vector<CatalogMatch::Look> ahead(kRecordsAhead);
  Status matched;
  const auto prepare = [&](std::size_t number) {
    ahead[number % kRecordsAhead] = match.look(records[number]);
  };
  const auto take = [&](std::size_t number) {
    matched = match.take(records[number], ahead[number % kRecordsAhead]);
    if (!matched.ok()) matched = recordProblem(place, records[number], matched);
    return matched.ok();
  };
  runOrdered({records.size(), kRecordsAhead, prepare, take}, kRecordReadersMax);
  return matched;
}

}  // namespace

Catalog::Catalog(Key, FileSystem& fs, const std::string& directory)
    : fs_(fs), directory_(directory), log_(fs, catalogIn(directory)) {}

Result<std::unique_ptr<Catalog>> Catalog::resume(FileSystem& fs, const std::string& directory,
                                                 const SeriesIndex& index) {
  const LogPlace place = catalogIn(directory);
  const auto found = readLogContent(fs, place);
  if (!found.ok()) return found.status();
  CatalogMatch match(index);
  const Status matched = matchAll(place, found.value().records, match);
  if (!matched.ok()) return matched;
  const bool isBegun = found.value().report.validSize != 0;
  if (!isBegun || !match.isWhole() || (match.isBeyond() && !match.hasAny())) {
    return Status::corrupt(place.path() + " does not match the commit");
  }
  auto catalog = std::make_unique<Catalog>(Key{}, fs, directory);
  const Status opened = catalog->log_.open(match.report(found.value().report));
  if (!opened.ok()) return opened;
  catalog->definitionCount_ = match.definitionCount();
  return catalog;
}

Status Catalog::replaceWith(const SeriesIndex& index, std::uint32_t seriesCount,
                            const Descriptors& descriptors) {
  Living living;
  const Status replaced = log_.replace([&](LogBatch& batch) -> Status {
    Status added = addLiving(batch, index, seriesCount, living);
    if (added.ok()) added = addDescriptors(batch, descriptors);
    if (added.ok() && living.end < seriesCount) added = addGone(batch, seriesCount);
    return added;
  });
  if (replaced.ok()) definitionCount_ = living.count;
  return replaced;
}

Result<std::unique_ptr<Catalog>> Catalog::replace(FileSystem& fs, const std::string& directory,
                                                  const SeriesIndex& index,
                                                  std::uint32_t seriesCount) {
  Descriptors descriptors;
  index.forEachDescriptor([&](std::string_view metric, const Descriptor& one) {
    descriptors.emplace_back(metric, one);
  });
  auto catalog = std::make_unique<Catalog>(Key{}, fs, directory);
  const Status replaced = catalog->replaceWith(index, seriesCount, descriptors);
  if (!replaced.ok()) return replaced;
  return catalog;
}

Status Catalog::rewrite(const SeriesIndex& index, std::uint32_t seriesCount) {
  if (!failure().ok()) return failure();
  // The index may hold descriptors of requests that the WAL does not hold yet.
  Descriptors descriptors;
  const auto found = readCatalog(fs_, directory_,
                                 {[](const SeriesDefinition&) { return Status(); },
                                  [&](const std::string& metric, const Descriptor& one) {
                                    descriptors.emplace_back(metric, one);
                                    return Status();
                                  },
                                  [](std::uint32_t) { return Status(); }});
  if (!found.ok()) return found.status();
  return replaceWith(index, seriesCount, descriptors);
}

Result<std::unique_ptr<Catalog>> Catalog::create(FileSystem& fs, const std::string& directory) {
  auto catalog = std::make_unique<Catalog>(Key{}, fs, directory);
  if (Status created = catalog->log_.create(); !created.ok()) return created;
  return catalog;
}

Result<std::unique_ptr<Catalog>> Catalog::open(FileSystem& fs, const std::string& directory,
                                               SeriesIndex& index) {
  auto catalog = std::make_unique<Catalog>(Key{}, fs, directory);
  const auto found = restoreCatalog(fs, directory, index, catalog->definitionCount_);
  if (!found.ok()) return found.status();
  if (Status opened = catalog->log_.open(found.value()); !opened.ok()) return opened;
  return catalog;
}

Status Catalog::append(std::span<const SeriesDefinition> series,
                       std::span<const std::pair<std::string, Descriptor>> descriptors) {
  if (!failure().ok()) return failure();
  if (series.empty() && descriptors.empty()) return {};
  const Status appended = log_.append([&](LogBatch& batch) -> Status {
    const Status added = addSeries(batch, kSeriesRecord, series);
    return added.ok() ? addDescriptors(batch, descriptors) : added;
  });
  if (appended.ok()) definitionCount_ += series.size();
  return appended;
}

}  // namespace seriesdb
