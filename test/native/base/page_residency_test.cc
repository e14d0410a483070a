#include "base/page_residency.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "harness.h"

using namespace seriesdb;

TEST("bytes of a mapped file are in memory once they were read, and not before") {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t size = 4096 * page;
  std::string path = test::temporaryDirectory() + "/sparse-XXXXXX";
  const int file = mkstemp(path.data());
  REQUIRE(file >= 0 && ftruncate(file, static_cast<off_t>(size)) == 0);
  void* mapped = mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  REQUIRE(mapped != MAP_FAILED);
  const Bytes bytes(static_cast<const std::uint8_t*>(mapped), size);
  const std::size_t at = 100 * page + 10;
  EXPECT(!isInMemory(bytes.subspan(at, 20)));
  const volatile std::uint8_t* touched = bytes.data() + at;
  EXPECT(*touched == 0);
  EXPECT(isInMemory(bytes.subspan(at, 20)));
  // Far from there, over both, more than anybody asks for, and nothing.
  EXPECT(!isInMemory(bytes.subspan(3000 * page, 1)));
  EXPECT(!isInMemory(bytes.subspan(at, 2000 * page)));
  EXPECT(!isInMemory({}));
  munmap(mapped, size);
}
