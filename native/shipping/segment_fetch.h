// Brings segments from a bucket into objects/ of a directory.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bucket/layout.h"
#include "bucket/store_session.h"
#include "common/base/status.h"
#include "common/digest/sha256.h"
#include "common/file/file_system.h"

namespace seriesdb {

// How far a fetch is. Of all segments, also of those that were there already.
struct FetchProgress {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t doneFiles = 0;
  std::uint64_t doneBytes = 0;
};
// Called after each piece by any thread, several at a time; false ends the fetch.
using FetchWatch = std::function<bool(const FetchProgress&)>;

struct WantedSegment {
  Sha256 hash;
  std::uint64_t size = 0;  // In bytes.
  // A segment of history only: if the bucket lacks it or has other bytes, history ends there.
  bool isOptional = false;
};

class SegmentFetch {
 public:
  struct To {
    FileSystem& fs;
    std::string directory;
    // Folders like objects/ with files of an earlier database; see objectFoldersAside().
    std::vector<std::string> aside;
  };
  // The session must outlive it. `watch` may be null.
  SegmentFetch(StoreSession& session, To to, FetchWatch watch);

  // Brings all of them, about in this order and up to eight at a time, on threads of its own. The
  // bytes of each come from its place, from the folders aside by a hard link or a copy, or from the
  // bucket by ranges of 8 MiB; whatever has another hash is not taken. A file gets its name when it
  // is whole and synced. Then removes all other files of objects/. Durable when ok. Call it once.
  //
  // kStorageCorrupt names the object that is missing in the bucket, or has another size or hash.
  // kClosed: the watch ended it. Otherwise fails as StoreSession and FileSystem. What was brought
  // stays, and the next fetch goes on.
  Status run(const std::vector<WantedSegment>& wanted);

 private:
  Status bring(const WantedSegment& one, std::size_t number);
  Result<bool> isThere(const std::string& path, const WantedSegment& one);
  Result<bool> takeFromAside(const WantedSegment& one, const std::string& scratch);
  Status download(const WantedSegment& one, const std::string& scratch);
  Status give(const std::string& scratch, const Sha256& hash);
  Status sweep(const std::vector<WantedSegment>& wanted);
  Status watchOn();
  std::string path(std::string_view name) const;

  StoreSession& session_;
  const To to_;
  const FetchWatch watch_;
  const BucketLayout layout_;
  FetchProgress all_;  // Without what is done.
  std::atomic<std::uint64_t> doneFiles_{0};
  std::atomic<std::uint64_t> doneBytes_{0};
};

}  // namespace seriesdb
