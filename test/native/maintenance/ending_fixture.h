// Helpers for tests of file work that a power loss or the disk ends at each change.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "faulty_file_system.h"
#include "harness.h"

namespace seriesdb::test {

// A disk without real syncs, for checks after each of thousands of power losses.
struct QuickDisk {
  QuickDisk() { fs.simulatePower(trash); }

  const std::string trash = temporaryDirectory();
  FaultyFileSystem fs{posixFileSystem()};
};

enum class Ending : std::uint8_t { kBytesLost, kAllLost, kSomeLost, kIo, kFull };
constexpr std::array kEndings = {Ending::kBytesLost, Ending::kAllLost, Ending::kSomeLost,
                                 Ending::kIo, Ending::kFull};

// Copies on a disk that fails in this way at the `nth` change or write. Returns whether the copy
// reached it.
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

// Tries all changes, starting at a place that the seed determines. `tryOne` returns whether that
// change existed.
inline void forEachEnding(const std::function<bool(Ending, std::uint64_t nth)>& tryOne) {
  for (const Ending ending : kEndings) {
    for (std::uint64_t nth = 1 + seed() % kStride; tryOne(ending, nth); nth += kStride) continue;
  }
}

}  // namespace seriesdb::test
