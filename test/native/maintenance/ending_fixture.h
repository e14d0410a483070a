// Words for tests of work on files that power or the disk ends, at each change of it.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "faulty_file_system.h"
#include "harness.h"

namespace seriesdb::test {

// The disk without a sync, for what is looked at after each of thousands of them.
struct QuickDisk {
  QuickDisk() { fs.simulatePower(trash); }

  const std::string trash = temporaryDirectory();
  FaultyFileSystem fs{posixFileSystem()};
};

enum class Ending : std::uint8_t { kBytesLost, kAllLost, kSomeLost, kIo, kFull };
constexpr std::array kEndings = {Ending::kBytesLost, Ending::kAllLost, Ending::kSomeLost,
                                 Ending::kIo, Ending::kFull};

// Copies on a disk that ends each of them so at the `nth` change or write. Returns whether it met
// that.
using Copy = std::function<bool(FileSystem&)>;
inline bool end(Ending ending, std::uint64_t nth, bool& isDone, const Copy& copy) {
  const std::string trash = temporaryDirectory();
  FaultyFileSystem fs(posixFileSystem());
  fs.simulatePower(trash);
  const bool isCut = ending <= Ending::kSomeLost;
  if (isCut) {
    fs.cutPowerAt(nth);
  } else {
    const bool isFull = ending == Ending::kFull;
    fs.failFrom(Operation::kAppend, nth,
                isFull ? StatusCode::kStorageUnavailable : StatusCode::kIo);
  }
  isDone = copy(fs);
  const bool isMet = isCut ? fs.isPowerCut() : fs.count(Operation::kAppend) >= nth;
  fs.heal();
  if (isCut) fs.losePower(static_cast<PowerLoss>(ending), seed() + nth);
  std::filesystem::remove_all(trash);
  return isMet;
}

// All changes, from a place on that the seed says; `tryOne` says whether there was that one.
inline void forEachEnding(const std::function<bool(Ending, std::uint64_t nth)>& tryOne) {
  for (const Ending ending : kEndings) {
    for (std::uint64_t nth = 1 + seed() % kStride; tryOne(ending, nth); nth += kStride) continue;
  }
}

}  // namespace seriesdb::test
