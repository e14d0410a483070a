// The directory of an open segment, read by pages where it lies in the file; in the heap are its
// fences. Internal to segment/. Immutable; safe for any number of threads.
#pragma once

#include <span>
#include <vector>

#include "format/segment/checked_file.h"
#include "format/segment/directory_page.h"
#include "format/segment/segment.h"
#include "format/segment/segment_bytes.h"

namespace seriesdb {

class SegmentDirectory {
 public:
  // The bytes must outlive it.
  SegmentDirectory(const SegmentBytes& bytes, CheckedFile checked);

  const segment_format::Footer& footer() const { return checked_.footer; }
  std::size_t pageCount() const { return checked_.fences.size(); }
  std::uint64_t memoryBytes() const;

  // As of Segment.
  void find(SeriesRef series, TimeRange range, std::vector<ChunkEntry>& chunks) const;
  std::size_t findTogether(std::span<const SeriesRef> series, TimeRange range,
                           std::vector<ChunkEntry>& chunks) const;
  bool isInMemory(std::span<const SeriesRef> series) const;
  void prefetch(SeriesRef series) const;
  std::uint64_t chunkCountOf(std::span<const SeriesRef> series) const;

  // Calls use() with the page, and once more with a copy where what it read may not have been one.
  // Where that fails nothing counts of what it did. REQUIRES: page < pageCount()
  template <typename Use>
  Status usePage(std::size_t page, Use use) const {
    if (isPageWhole()) {
      use(DirectoryPage(pages_ + fences()[page].offset));
      if (isPageWhole()) return {};
    }
    return useCopy(page, use);
  }
  // What read() says of an entry for a part of the directory that could not be read.
  Status sayUnknown(const ChunkEntry& entry) const;

 private:
  struct Wanted {
    SeriesRef series;
    TimeRange range;
  };

  const std::vector<Fence>& fences() const { return checked_.fences; }
  std::uint64_t offsetOf(const Fence& fence) const {
    return checked_.footer.directoryOffset + fence.offset;
  }
  // Whether what was read of pages until now was theirs.
  bool isPageWhole() const { return !checked_.pages.empty() || bytes_.isWhole(); }
  template <typename Use>
  Status useCopy(std::size_t page, Use use) const {
    const Fence& fence = fences()[page];
    ByteBuffer copy(fence.size + kPageSlack);
    Status status = bytes_.read(offsetOf(fence), std::span(copy).first(fence.size));
    if (status.code() == StatusCode::kExhausted) return status;
    const Bytes found = Bytes(copy).first(fence.size);
    if (status.ok() && !isPageOf(found, fence, checked_.footer)) {
      status = Status::corrupt("a page of the directory is malformed");
    }
    if (!status.ok()) {
      const TimeRange range{fence.bounds.tsMin, fence.bounds.tsMax};
      return bytes_.remember(range, "directory", offsetOf(fence), status);
    }
    use(DirectoryPage(copy.data()));
    return {};
  }
  std::size_t firstPageOf(SeriesRef series) const;
  std::size_t countWithin(std::size_t page, std::span<const SeriesRef> series) const;
  void findInCopy(std::size_t page, const Wanted& wanted, std::vector<ChunkEntry>& chunks) const;
  static void findIn(const DirectoryPage& entries, std::size_t page, const Wanted& wanted,
                     std::vector<ChunkEntry>& chunks);
  ChunkEntry unknown(SeriesRef series, std::size_t page) const;

  const SegmentBytes& bytes_;
  const CheckedFile checked_;
  const std::uint8_t* pages_ = nullptr;  // In the file, or as they were read from it.
  std::vector<SeriesRef> firstRefs_;  // Of the fences, close together, since they are searched.
  double pagesPerRef_ = 0;
};

}  // namespace seriesdb
