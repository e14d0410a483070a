#include "common/types/file_names.h"

#include <limits>
#include <random>

#include "harness.h"

using namespace seriesdb;

TEST("the number is read back from a numbered file name") {
  EXPECT(file_names::walFile(1) == "0000000001.wal");
  EXPECT(file_names::segmentFile(42) == "0000000042.seg");
  for (const std::uint64_t number :
       {std::uint64_t{0}, std::uint64_t{9'999'999'999}, std::uint64_t{10'000'000'000},
        std::numeric_limits<std::uint64_t>::max()}) {
    EXPECT(file_names::walNumber(file_names::walFile(number)) == number);
    EXPECT(file_names::segmentNumber(file_names::segmentFile(number)) == number);
  }
}

TEST("a malformed file name has no number") {
  for (const char* name :
       {"", ".wal", "1.wal", "0000000001", "0000000001.seg", "0000000001.wal.tmp", "000000000x.wal",
        "00000000001.wal", "+000000001.wal", " 000000001.wal", "-000000001.wal",
        "18446744073709551616.wal"}) {
    EXPECT(!file_names::walNumber(name).has_value());
  }
  EXPECT(!file_names::segmentNumber("0000000001.wal").has_value());
}

TEST("an object's folder and file name form its hash, split after two digits") {
  const Sha256 abc = sha256(asBytes("abc"));
  EXPECT(file_names::objectFolder(abc) == "ba");
  EXPECT(file_names::objectFile(abc) ==
         "7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  std::mt19937_64 random(test::seed());
  for (int round = 0; round < 1000; ++round) {
    Sha256 hash;
    for (auto& byte : hash.bytes) byte = static_cast<std::uint8_t>(random());
    const std::string folder = file_names::objectFolder(hash);
    const std::string name = file_names::objectFile(hash);
    EXPECT(folder + name == hash.text());
    EXPECT(file_names::objectHash(folder, name) == hash);
  }
}

TEST("malformed object names have no hash") {
  const std::string text = sha256(asBytes("abc")).text();
  const auto isObject = [](const std::string& folder, const std::string& name) {
    return file_names::objectHash(folder, name).has_value();
  };
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    EXPECT(isObject(text.substr(0, cut), text.substr(cut)) == (cut == 2));
    EXPECT(!isObject(text.substr(0, 2), text.substr(2, cut) + (cut < 62 ? "" : "0")));
  }
  const std::string name = text.substr(2);
  for (const char* folder : {"", "b", "bA", "BA", "b.", "..", "/b", "tmp", "ba/", "ba0"}) {
    EXPECT(!isObject(folder, name));
  }
  for (std::size_t at = 0; at < name.size(); ++at) {
    for (const char character : {'/', ':', '`', 'g', 'A', 'F', '.', '\0', '\x80', ' '}) {
      std::string changed = name;
      changed[at] = character;
      EXPECT(!isObject("ba", changed));
    }
  }
  EXPECT(!isObject("ba", name + ".tmp"));
  EXPECT(!isObject("ba", std::string(62, '.')));
}

TEST("the name of an unfinished object has a number and no hash") {
  EXPECT(file_names::unfinishedObjectFile(7) == "0000000007");
  for (const std::uint64_t number :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{10'000'000'000},
        std::numeric_limits<std::uint64_t>::max()}) {
    const std::string name = file_names::unfinishedObjectFile(number);
    EXPECT(file_names::unfinishedObjectNumber(name) == number);
    EXPECT(!file_names::objectHash(file_names::kUnfinishedObjectDirectory, name).has_value());
  }
  for (const char* name : {"", "1", "000000001", "00000000001", "0000000001.tmp", "000000000a",
                           "-000000001", "+000000001", "18446744073709551616"}) {
    EXPECT(!file_names::unfinishedObjectNumber(name).has_value());
  }
}

TEST("join puts one slash between nonempty paths") {
  EXPECT(file_names::join("a", "b") == "a/b");
  EXPECT(file_names::join("a/", "b") == "a/b");
  EXPECT(file_names::join("", "b") == "b");
}
