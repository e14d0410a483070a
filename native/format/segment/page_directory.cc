#include "format/segment/page_directory.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "common/base/check.h"
#include "common/digest/checksum.h"

namespace seriesdb {
namespace {

using segment_format::damage;
using segment_format::Footer;

constexpr std::size_t kFenceSize = 32;

void appendFence(ByteBuffer& out, const Fence& fence) {
  appendLe(out, fence.bounds.firstRef);
  appendLe(out, fence.bounds.chunkCount);
  appendLe(out, std::uint16_t{0});
  appendLe(out, fence.bounds.tsMin);
  appendLe(out, fence.bounds.tsMax);
  appendLe(out, fence.offset);
  appendLe(out, fence.crc);
}

Fence readFence(const std::uint8_t* from) {
  Fence fence;
  fence.bounds.firstRef = loadLe<SeriesRef>(from);
  fence.bounds.chunkCount = loadLe<std::uint16_t>(from + 4);
  fence.bounds.tsMin = loadLe<Timestamp>(from + 8);
  fence.bounds.tsMax = loadLe<Timestamp>(from + 16);
  fence.offset = loadLe<std::uint32_t>(from + 24);
  fence.crc = loadLe<std::uint32_t>(from + 28);
  return fence;
}

// Reads the fences and checks that their pages fill the directory.
Result<std::vector<Fence>> readFences(Bytes bytes, const Footer& footer, const std::string& path) {
  const std::uint64_t fencesSize = std::uint64_t{footer.pageCount} * kFenceSize;
  if (footer.pageCount == 0 || fencesSize > bytes.size()) {
    return damage(path, footer.directoryOffset, "the directory cannot hold its pages");
  }
  const auto pagesSize = bytes.size() - static_cast<std::size_t>(fencesSize);
  const Bytes all = bytes.subspan(pagesSize);
  const std::uint64_t at = footer.directoryOffset + pagesSize;
  if (crc32c(all) != footer.directoryCrc) {
    return damage(path, at, "the directory's checksum is wrong");
  }
  std::vector<Fence> fences;
  fences.reserve(footer.pageCount);
  for (std::size_t i = 0; i < footer.pageCount; ++i) {
    fences.push_back(readFence(all.data() + i * kFenceSize));
  }
  for (std::size_t i = 0; i < fences.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : fences[i].offset;
    const std::size_t end = i + 1 < fences.size() ? fences[i + 1].offset : pagesSize;
    const bool isFull = fences[i].bounds.chunkCount == kPageChunks || i + 1 == fences.size();
    if (fences[i].offset != begin || end <= begin || end > pagesSize || !isFull) {
      return damage(path, at + i * kFenceSize, "the directory's fence is malformed");
    }
    fences[i].size = static_cast<std::uint32_t>(end - begin);
  }
  return fences;
}

// Sums up all pages, and checks that each continues where the previous one ends.
class Tally {
 public:
  bool add(const DirectoryPage& page) {
    const std::size_t count = page.chunkCount();
    const bool goesOn = isEmpty_ ? page.offsetAt(0) == segment_format::kHeaderSize
                                 : page.offsetAt(0) == offset_ && isAfter(page);
    for (std::size_t i = 0; i < count; ++i) {
      const SeriesRef ref = page.refAt(i);
      if (isEmpty_ || ref != ref_) ++seriesCount_;
      isEmpty_ = false;
      ref_ = ref;
      samples_ += page.sampleCountAt(i);
      tsMin_ = std::min(tsMin_, page.tsMinAt(i));
      tsMax_ = std::max(tsMax_, page.tsMaxAt(i));
    }
    chunks_ += count;
    tsEnd_ = page.tsMaxAt(count - 1);
    offset_ = page.offsetAt(count);
    return goesOn;
  }
  bool isOf(const Footer& footer) const {
    return chunks_ <= std::numeric_limits<std::uint32_t>::max() && chunks_ == footer.chunkCount &&
           samples_ == footer.sampleCount && seriesCount_ == footer.seriesCount &&
           offset_ == footer.directoryOffset && tsMin_ == footer.tsMin && tsMax_ == footer.tsMax;
  }

 private:
  bool isAfter(const DirectoryPage& page) const {
    return page.refAt(0) > ref_ || (page.refAt(0) == ref_ && page.tsMinAt(0) > tsEnd_);
  }

  bool isEmpty_ = true;
  SeriesRef ref_ = 0;
  Timestamp tsEnd_ = 0;
  std::uint64_t offset_ = 0;
  std::uint64_t chunks_ = 0;
  std::uint64_t samples_ = 0;
  std::uint64_t seriesCount_ = 0;
  Timestamp tsMin_ = std::numeric_limits<Timestamp>::max();
  Timestamp tsMax_ = std::numeric_limits<Timestamp>::min();
};

}  // namespace

void PageDirectoryWriter::add(const ChunkEntry& chunk, Bytes bare) {
  if (waiting_.size() == kPageChunks) closePage();
  waiting_.push_back(chunk);
  bareCrc_ = crc32c(bare, bareCrc_);
}

void PageDirectoryWriter::closePage() {
  Fence fence;
  const std::size_t begin = pages_.size();
  CHECK(begin <= std::numeric_limits<std::uint32_t>::max());
  fence.offset = static_cast<std::uint32_t>(begin);
  fence.bounds = appendPage(pages_, waiting_, bareCrc_);
  fence.size = static_cast<std::uint32_t>(pages_.size() - begin);
  fence.crc = crc32c(Bytes(pages_).subspan(begin));
  fences_.push_back(fence);
  waiting_.clear();
  bareCrc_ = 0;
}

std::vector<Fence> PageDirectoryWriter::finishInMemory(ByteBuffer& out) {
  CHECK(!isEmpty());
  closePage();
  appendBytes(out, pages_);
  return std::move(fences_);
}

void PageDirectoryWriter::finish(ByteBuffer& out, Footer& footer) {
  fences_ = finishInMemory(out);
  const std::size_t begin = out.size();
  for (const Fence& fence : fences_) appendFence(out, fence);
  footer.directoryCrc = crc32c(Bytes(out).subspan(begin));
  footer.directorySize = pages_.size() + out.size() - begin;
  footer.pageCount = static_cast<std::uint32_t>(fences_.size());
}

bool isPageOf(Bytes bytes, const Fence& fence, const Footer& footer) {
  const ChunkArea area{segment_format::kHeaderSize, footer.directoryOffset,
                       footer.version >= segment_format::kBareVersion};
  return crc32c(bytes) == fence.crc && isPage(bytes, fence.bounds, area);
}

Result<std::vector<Fence>> checkDirectory(Bytes bytes, const Footer& footer,
                                          const std::string& path) {
  auto fences = readFences(bytes, footer, path);
  if (!fences.ok()) return fences;
  Tally tally;
  for (const Fence& fence : fences.value()) {
    const Bytes page = bytes.subspan(fence.offset, fence.size);
    if (!isPageOf(page, fence, footer) || !tally.add(DirectoryPage(page.data()))) {
      return damage(path, footer.directoryOffset + fence.offset,
                    "a page of the directory is malformed");
    }
  }
  if (tally.isOf(footer)) return fences;
  return damage(path, footer.directoryOffset, "the directory is not what the footer says");
}

}  // namespace seriesdb
