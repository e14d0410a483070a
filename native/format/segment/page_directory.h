// The directory of a segment: pages of entries and a fence for each, which tells what lies in it.
// Only the fences are in the heap, an eighth of a byte a chunk. Internal to segment/.
// See docs/format/segment.md.
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
  // Of the page, from the beginning of the directory; the first has 0, each next one is higher.
  std::uint32_t offset = 0;
  std::uint32_t size = 0;  // Of the page, in bytes. Not on disk: it ends where the next one begins.
  std::uint32_t crc = 0;  // CRC-32C of the page.
};

// Makes the bytes of a directory from entries that come one after the other.
class PageDirectoryWriter {
 public:
  // `bare` are the chunk's bytes where it is bare. REQUIRES: by series, then by time, each behind
  // the one before it in the file.
  void add(const ChunkEntry& chunk, Bytes bare);
  // Of the last entry. REQUIRES: one was added.
  const ChunkEntry& last() const { return waiting_.back(); }
  // Whether no more chunks may be added: offsets of pages have 32 bits.
  bool isFull() const { return pages_.size() > std::numeric_limits<std::uint32_t>::max() / 2; }
  bool isEmpty() const { return fences_.empty() && waiting_.empty(); }
  // The pages and the fences behind them; fills in what the footer says of them. No entry may come
  // after it.
  void finish(ByteBuffer& out, segment_format::Footer& footer);
  // The same for a directory that is in no file: appends the pages, gives the fences.
  std::vector<Fence> finishInMemory(ByteBuffer& out);

 private:
  void closePage();

  ByteBuffer pages_;
  std::vector<Fence> fences_;
  std::vector<ChunkEntry> waiting_;  // Of the page that is being filled, which is never left empty.
  std::uint32_t bareCrc_ = 0;        // Of its bare chunks.
};

// Of bytes that are pages and fences, and kPageSlack more: the fences, where all of it is as the
// footer says, no page has an entry without sense, and all of them are in order. Trusts no byte.
Result<std::vector<Fence>> checkDirectory(Bytes bytes, const segment_format::Footer& footer,
                                          const std::string& path);

// Whether the bytes, kPageSlack more of which are readable, are the page of this fence.
bool isPageOf(Bytes bytes, const Fence& fence, const segment_format::Footer& footer);

}  // namespace seriesdb
