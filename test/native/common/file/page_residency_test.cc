#include "common/file/page_residency.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "harness.h"

using namespace seriesdb;

namespace {

// A sparse file. No page of it is in memory before it is read.
class SparseFile {
 public:
  explicit SparseFile(std::size_t size) {
    std::string path = test::temporaryDirectory() + "/sparse-XXXXXX";
    const int file = mkstemp(path.data());
    REQUIRE(file >= 0 && ftruncate(file, static_cast<off_t>(size)) == 0);
    void* mapped = mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    REQUIRE(mapped != MAP_FAILED);
    bytes_ = Bytes(static_cast<const std::uint8_t*>(mapped), size);
  }
  ~SparseFile() { munmap(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size()); }
  SparseFile(const SparseFile&) = delete;
  SparseFile& operator=(const SparseFile&) = delete;

  Bytes bytes() const { return bytes_; }
  void touch(std::size_t begin, std::size_t end) const {
    for (std::size_t at = begin; at < end; at += 4096) {
      const volatile std::uint8_t* touched = bytes_.data() + at;
      EXPECT(*touched == 0);
    }
  }
  // Turns off the kernel's readahead, so that each page is loaded separately.
  void dontReadAhead() const {
    REQUIRE(madvise(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size(), MADV_RANDOM) == 0);
  }

 private:
  Bytes bytes_;
};

constexpr std::size_t kBlock = PageResidency::kBlockSize;

}  // namespace

TEST("bytes of a mapped file are resident after a read, and not before") {
  const SparseFile file(16 * kBlock + 100);
  file.dontReadAhead();
  const PageResidency residency(file.bytes());
  const std::size_t at = kBlock + 10;
  EXPECT(!residency.holds(at, 20, 5));
  file.touch(at, at + 1);
  EXPECT(residency.holds(at, 20, 5));
  // Ranges far away, across both blocks, too long, past the end, and empty.
  EXPECT(!residency.holds(12 * kBlock, 1, 5));
  EXPECT(!residency.holds(at, kBlock, 5));
  EXPECT(!residency.holds(at, 4 * kBlock, 5));
  EXPECT(!residency.holds(16 * kBlock + 90, 20, 5));
  EXPECT(!residency.holds(at, 0, 5));
}

TEST("a resident block is assumed to stay resident for a second") {
  const SparseFile file(4 * kBlock);
  file.dontReadAhead();
  const PageResidency residency(file.bytes());
  file.touch(0, 2 * kBlock);
  EXPECT(residency.holds(kBlock - 10, 20, 5000));
  // Maps other pages in their place, so that none of them is in memory.
  REQUIRE(mmap(const_cast<std::uint8_t*>(file.bytes().data()), 2 * kBlock, PROT_READ,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED);
  EXPECT(residency.holds(kBlock - 10, 20, 5000 + PageResidency::kRememberedMs - 1));
  EXPECT(!residency.holds(kBlock - 10, 20, 5000 + PageResidency::kRememberedMs));
  // A block with a missing part was not remembered as resident.
  EXPECT(!residency.holds(2 * kBlock, 20, 5000));
}
