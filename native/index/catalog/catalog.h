// CATALOG: the log of every series and descriptor that is on disk apart from the WAL.
//
// The engine appends here what new segments rely on before it lets the WAL shrink, so that a series
// is always in CATALOG, in a replayed WAL file, or in both. Records are idempotent: a series or
// descriptor that is recorded twice in the same words changes nothing. See docs/format/catalog.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/base/status.h"
#include "common/file/file_system.h"
#include "format/log/append_log.h"
#include "index/catalog/catalog_codec.h"
#include "index/series_index.h"

namespace seriesdb {

// What CATALOG holds, in the order of the file; a failure of either ends the reading.
struct CatalogVisitor {
  std::function<Status(const SeriesDefinition&)> onSeries;
  std::function<Status(const std::string& metric, const Descriptor&)> onDescriptor;
  // The series below `end` that it did not tell of are gone.
  std::function<Status(std::uint32_t end)> onGone;
};
// Reads all of it and changes nothing. kStorageCorrupt names the file. A header that is cut short
// is damage too, because create() synced it.
Result<LogReadReport> readCatalog(FileSystem& fs, const std::string& directory,
                                  const CatalogVisitor& visitor);

// Not thread-safe: one writer.
class Catalog {
  // Only create() and open() can make one.
  struct Key {};

 public:
  Catalog(Key, FileSystem& fs, const std::string& directory);

  // Makes CATALOG, synced, in a directory that has none.
  static Result<std::unique_ptr<Catalog>> create(FileSystem& fs, const std::string& directory);

  // Restores every recorded series and descriptor into `index`, and opens the log for appending. A
  // torn tail is cut by the first append, so that an opening that comes to nothing has changed
  // nothing. kStorageCorrupt names the file, and the index is then of no use.
  static Result<std::unique_ptr<Catalog>> open(FileSystem& fs, const std::string& directory,
                                               SeriesIndex& index);

  // Opens the log for appending where it has all that the index has, in the same words, and takes
  // nothing out of it. What it has beyond that is cut by the first append. Else kStorageCorrupt.
  static Result<std::unique_ptr<Catalog>> resume(FileSystem& fs, const std::string& directory,
                                                 const SeriesIndex& index);

  // Puts one with the series below `seriesCount` that are not gone and all descriptors in the place
  // of what is there.
  static Result<std::unique_ptr<Catalog>> replace(FileSystem& fs, const std::string& directory,
                                                  const SeriesIndex& index,
                                                  std::uint32_t seriesCount);

  // Appends all given and syncs; durable when ok. Series ascend by ref, after those recorded.
  // kStorageUnavailable (no space): nothing was appended, and a later call may succeed. Any other
  // failure is final: the end of the file is then unknown, and every later call returns it again.
  Status append(std::span<const SeriesDefinition> series,
                std::span<const std::pair<std::string, Descriptor>> descriptors);

  // The same of this one, which goes on, with the descriptors that it has. Where there is no room,
  // or it cannot be read, nothing has changed; any other failure is final.
  Status rewrite(const SeriesIndex& index, std::uint32_t seriesCount);
  // Definitions in the file.
  std::uint64_t definitionCount() const { return definitionCount_; }

  // The failure that is final, when there was one.
  const Status& failure() const { return log_.failure(); }
  // Where a torn tail begins, when there is one.
  std::optional<std::uint64_t> tornAt() const { return log_.tornAt(); }
  // Size of the file.
  std::uint64_t size() const { return log_.size(); }

 private:
  using Descriptors = std::vector<std::pair<std::string, Descriptor>>;
  Status replaceWith(const SeriesIndex& index, std::uint32_t seriesCount,
                     const Descriptors& descriptors);

  FileSystem& fs_;
  std::string directory_;
  AppendLog log_;
  std::uint64_t definitionCount_ = 0;
};

}  // namespace seriesdb
