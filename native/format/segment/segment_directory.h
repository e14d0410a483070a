// The directory of an open segment, read by pages in place in the file. Only its fences are in the
// heap. Internal to segment/. Immutable; safe for any number of threads.
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
  // `bytes` must outlive this.
  SegmentDirectory(const SegmentBytes& bytes, CheckedFile checked);

  const segment_format::Footer& footer() const { return checked_.footer; }
  std::size_t pageCount() const { return checked_.fences.size(); }
  std::uint64_t memoryBytes() const;

  // As in Segment.
  void find(SeriesRef series, TimeRange range, std::vector<ChunkEntry>& chunks) const;
  std::size_t findTogether(std::span<const SeriesRef> series, TimeRange range,
                           std::vector<ChunkEntry>& chunks) const;
  bool isInMemory(std::span<const SeriesRef> series) const;
  void prefetch(SeriesRef series) const;
  std::uint64_t chunkCountOf(std::span<const SeriesRef> series) const;

  // Calls use() with the page, and again with a copy if the mapping was lost meanwhile. If this
  // fails, discard the results of use(). REQUIRES: page < pageCount()
  template <typename Use>
  Status usePage(std::size_t page, Use use) const {
    if (isPageWhole()) {
      use(DirectoryPage(pages_ + fences()[page].offset));
      if (isPageWhole()) return {};
    }
    return useCopy(page, use);
  }
  // The error that read() returns for an entry of an unreadable part of the directory.
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
  // True if all bytes read from pages so far were theirs.
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
  const std::uint8_t* pages_ = nullptr;  // In the mapped file, or in checked_.pages.
  // The first refs of all fences in one array, because searches scan them.
  std::vector<SeriesRef> firstRefs_;
  double pagesPerRef_ = 0;
};

}  // namespace seriesdb
