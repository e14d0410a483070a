// CATALOG: the log of every series and descriptor that is on disk apart from the WAL.
//
// The engine appends here what new segments rely on before it lets the WAL shrink, so that a series
// is always in CATALOG, in a replayed WAL file, or in both. Records are idempotent: a series or
// descriptor that is recorded twice in the same words changes nothing. See docs/format/catalog.md.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/file_system.h"
#include "base/status.h"
#include "index/catalog_codec.h"
#include "index/series_index.h"

namespace seriesdb {

// Not thread-safe: one writer.
class Catalog {
  // Only create() and open() can make one.
  struct Key {};

 public:
  Catalog(Key, std::unique_ptr<WritableFile> file, std::uint64_t nextSequence,
          std::uint64_t cutSize)
      : file_(std::move(file)), nextSequence_(nextSequence), cutSize_(cutSize) {}

  // Makes CATALOG, synced, in a directory that has none.
  static Result<std::unique_ptr<Catalog>> create(FileSystem& fs, const std::string& directory);

  // Restores every recorded series and descriptor into `index`, cuts a torn tail, and opens the
  // log for appending. kStorageCorrupt names the file, and the index is then of no use. A header
  // that is cut short is damage too, because create() synced it.
  static Result<std::unique_ptr<Catalog>> open(FileSystem& fs, const std::string& directory,
                                               SeriesIndex& index);

  // Appends all given and syncs; durable when ok. Series ascend by ref, after those recorded.
  // kStorageUnavailable (no space): nothing was appended, and a later call may succeed. Any other
  // failure is final: the end of the file is then unknown, and every later call returns it again.
  Status append(std::span<const SeriesDefinition> series,
                std::span<const std::pair<std::string, Descriptor>> descriptors);

  // How many bytes of a torn tail open() cut off.
  std::uint64_t cutSize() const { return cutSize_; }
  // Size of the file.
  std::uint64_t size() const { return file_->size(); }

 private:
  std::unique_ptr<WritableFile> file_;
  std::uint64_t nextSequence_;
  std::uint64_t cutSize_;
  Status failure_;
};

}  // namespace seriesdb
