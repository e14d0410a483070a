// The directory of a segment: pages of entries, and a fence for each page that describes it. Only
// the fences are in the heap, an eighth of a byte a chunk. Internal to segment/. See
// docs/format/segment.md.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "format/segment/directory_page.h"
#include "format/segment/segment_format.h"

namespace seriesdb {

struct Fence {
  PageBounds bounds;
  // The page's offset from the beginning of the directory. The first is 0; they ascend.
  std::uint32_t offset = 0;
  // The page's size in bytes. Not on disk: a page ends where the next one begins.
  std::uint32_t size = 0;
  std::uint32_t crc = 0;  // CRC-32C of the page.
};

// Builds the bytes of a directory from consecutive entries.
class PageDirectoryWriter {
 public:
  // `bare` are the chunk's bytes if it is bare, else empty. REQUIRES: entries come by series, then
  // by time, each behind the previous one in the file.
  void add(const ChunkEntry& chunk, Bytes bare);
  // The last entry. REQUIRES: one was added.
  const ChunkEntry& last() const { return waiting_.back(); }
  // True if no more chunks may be added: page offsets have 32 bits.
  bool isFull() const { return pages_.size() > std::numeric_limits<std::uint32_t>::max() / 2; }
  bool isEmpty() const { return fences_.empty() && waiting_.empty(); }
  // Appends the pages and the fences behind them; fills in the footer's fields about them. Nothing
  // may be added afterwards.
  void finish(ByteBuffer& out, segment_format::Footer& footer);
  // The same for a directory in memory: appends the pages and returns the fences.
  std::vector<Fence> finishInMemory(ByteBuffer& out);

 private:
  void closePage();

  ByteBuffer pages_;
  std::vector<Fence> fences_;
  // Entries of the current page; not empty after the first add().
  std::vector<ChunkEntry> waiting_;
  std::uint32_t bareCrc_ = 0;  // CRC-32C of its bare chunks.
};

// Checks pages, fences and kPageSlack more bytes, and returns the fences. The directory must agree
// with the footer, every entry must be plausible, and the pages must be in order. Trusts no byte.
Result<std::vector<Fence>> checkDirectory(Bytes bytes, const segment_format::Footer& footer,
                                          const std::string& path);

// True if the bytes are the page of this fence. REQUIRES: kPageSlack readable bytes behind.
bool isPageOf(Bytes bytes, const Fence& fence, const segment_format::Footer& footer);

}  // namespace seriesdb
