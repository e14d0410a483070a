// CATALOG: the log of every series and descriptor, on disk apart from the WAL.
//
// The engine appends the definitions that new segments need before it lets the WAL shrink. So every
// series is in CATALOG, in a WAL file that recovery replays, or in both. Records are idempotent: an
// equal second record of a series or descriptor changes nothing. See docs/format/catalog.md.
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

// Receives the content of CATALOG in the order of the file. A failure of any function ends the
// reading.
struct CatalogVisitor {
  std::function<Status(const SeriesDefinition&)> onSeries;
  std::function<Status(const std::string& metric, const Descriptor&)> onDescriptor;
  // All series below `end` that onSeries did not get are gone.
  std::function<Status(std::uint32_t end)> onGone;
};
// Reads all of CATALOG and changes nothing. kStorageCorrupt names the file. An incomplete header is
// damage too, because create() synced it.
Result<LogReadReport> readCatalog(FileSystem& fs, const std::string& directory,
                                  const CatalogVisitor& visitor);

// Not thread-safe: one writer.
class Catalog {
  // Restricts construction to this class.
  struct Key {};

 public:
  Catalog(Key, FileSystem& fs, const std::string& directory);

  // Makes CATALOG, synced, in a directory that has none.
  static Result<std::unique_ptr<Catalog>> create(FileSystem& fs, const std::string& directory);

  // Restores every recorded series and descriptor into `index`, and opens the log for appending.
  // The first append cuts a torn tail, so a failed open changes nothing. kStorageCorrupt names the
  // file; discard the index then.
  static Result<std::unique_ptr<Catalog>> open(FileSystem& fs, const std::string& directory,
                                               SeriesIndex& index);

  // Opens the log for appending if it has an equal definition for everything in the index; reads
  // nothing into the index. The first append cuts anything beyond that. Otherwise kStorageCorrupt.
  static Result<std::unique_ptr<Catalog>> resume(FileSystem& fs, const std::string& directory,
                                                 const SeriesIndex& index);

  // Replaces CATALOG by one with all descriptors and with the series below `seriesCount` that are
  // not gone.
  static Result<std::unique_ptr<Catalog>> replace(FileSystem& fs, const std::string& directory,
                                                  const SeriesIndex& index,
                                                  std::uint32_t seriesCount);

  // Appends all definitions and syncs; durable when ok. Series ascend by ref, after the recorded
  // ones. kStorageUnavailable (no space): nothing was appended, and a later call may succeed. Any
  // other failure is final, because the end of the file is then unknown; every later call returns
  // it again.
  Status append(std::span<const SeriesDefinition> series,
                std::span<const std::pair<std::string, Descriptor>> descriptors);

  // As replace(), but keeps this object in use and takes the descriptors from the file. If there is
  // no space or the file is unreadable, nothing has changed; any other failure is final.
  Status rewrite(const SeriesIndex& index, std::uint32_t seriesCount);
  // Definitions in the file.
  std::uint64_t definitionCount() const { return definitionCount_; }

  // The final failure; ok while there is none.
  const Status& failure() const { return log_.failure(); }
  // The offset of a torn tail, if there is one.
  std::optional<std::uint64_t> tornAt() const { return log_.tornAt(); }
  // The file's size in bytes.
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
