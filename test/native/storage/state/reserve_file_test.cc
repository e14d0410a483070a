// The reserve file, and its reports when the disk fails.
#include "storage/state/reserve_file.h"

#include "common/types/file_names.h"
#include "faulty_file_system.h"
#include "harness.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {
constexpr std::uint64_t kSize = std::uint64_t{64} << 10;
}

TEST("a reserve is released and restored, and either may fail and be retried") {
  FaultyFileSystem fs(posixFileSystem());
  const std::string directory = temporaryDirectory();
  ReserveFile reserve(fs, directory, kSize);
  EXPECT(reserve.restore() && !reserve.isOut());
  if (!reserve.isHeld()) return;  // This machine's file system has no fallocate.
  fs.failAt(Operation::kRemove, 1);
  EXPECT(!reserve.release());
  EXPECT(reserve.isHeld() && !reserve.isOut());
  EXPECT(reserve.release());
  EXPECT(!reserve.isHeld() && reserve.isOut() && !reserve.release());
  fs.setSpace(2 * kSize - 1);
  EXPECT(!reserve.restore());
  EXPECT(!reserve.isHeld() && reserve.isOut());
  fs.setSpace(2 * kSize);
  EXPECT(reserve.restore());
  EXPECT(reserve.isHeld() && !reserve.isOut());
}

TEST("an existing reserve that cannot be removed is given up") {
  FaultyFileSystem fs(posixFileSystem());
  const std::string directory = temporaryDirectory();
  ReserveFile reserve(fs, directory, kSize);
  EXPECT(reserve.restore());
  if (!reserve.release()) return;
  REQUIRE(fs.create(file_names::join(directory, file_names::kReserve)).ok());
  fs.failAt(Operation::kRemove, 1);
  EXPECT(reserve.restore());
  EXPECT(!reserve.isHeld() && !reserve.isOut());
}
