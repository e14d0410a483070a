#include "model/file_names.h"

#include <limits>

#include "harness.h"

using namespace seriesdb;

TEST("a numbered file name gives its number back") {
  EXPECT(file_names::walFile(1) == "0000000001.wal");
  EXPECT(file_names::segmentFile(42) == "0000000042.seg");
  for (const std::uint64_t number :
       {std::uint64_t{0}, std::uint64_t{9'999'999'999}, std::uint64_t{10'000'000'000},
        std::numeric_limits<std::uint64_t>::max()}) {
    EXPECT(file_names::walNumber(file_names::walFile(number)) == number);
    EXPECT(file_names::segmentNumber(file_names::segmentFile(number)) == number);
  }
}

TEST("a name of any other form has no number") {
  for (const char* name :
       {"", ".wal", "1.wal", "0000000001", "0000000001.seg", "0000000001.wal.tmp", "000000000x.wal",
        "00000000001.wal", "+000000001.wal", " 000000001.wal", "-000000001.wal",
        "18446744073709551616.wal"}) {
    EXPECT(!file_names::walNumber(name).has_value());
  }
  EXPECT(!file_names::segmentNumber("0000000001.wal").has_value());
}

TEST("join puts one slash between") {
  EXPECT(file_names::join("a", "b") == "a/b");
  EXPECT(file_names::join("a/", "b") == "a/b");
  EXPECT(file_names::join("", "b") == "b");
}
