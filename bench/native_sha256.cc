// Measures SHA-256 on one core, by every kernel that this processor supports. Prints one JSON line
// each for two cases. Segments are hashed as streams, here of a mebibyte at a time. Tree nodes are
// hashed as pieces of four kibibytes with their own hashes.
//  g++ -std=c++20 -O3 -Inative bench/native_sha256.cc native/common/digest/sha256*.cc
//    -o native_sha256
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>

#include "common/digest/sha256.h"

namespace {

using namespace seriesdb;
using sha256_kernels::Kernel;

constexpr std::size_t kSize = std::size_t{16} << 20;  // Bytes per round.
constexpr int kRounds = 9;

struct Case {
  const char* row;
  std::size_t pieceSize;
  bool isWhole;  // True for one hash over all pieces.
};

constexpr Case kCases[] = {{"sha256 of a stream", std::size_t{1} << 20, true},
                           {"sha256 of 4 KiB objects", std::size_t{4} << 10, false}};

// The sum of the first byte of each hash.
unsigned hashAll(const Kernel& kernel, const Case& which, Bytes piece) {
  unsigned sum = 0;
  Sha256Hasher hasher(kernel);
  for (std::size_t done = 0; done < kSize; done += piece.size()) {
    hasher.update(piece);
    if (which.isWhole) continue;
    sum += hasher.hash().bytes[0];
    hasher = Sha256Hasher(kernel);
  }
  return sum + hasher.hash().bytes[0];
}

void measure(const Kernel& kernel, const Case& which) {
  ByteBuffer piece(which.pieceSize);
  for (std::size_t i = 0; i < piece.size(); ++i) piece[i] = static_cast<std::uint8_t>(i * i >> 3);
  double best = 0;
  unsigned checksum = 0;
  for (int round = 0; round < kRounds; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    checksum = hashAll(kernel, which, piece);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    best = std::max(best, static_cast<double>(kSize) / spent.count() / 1e6);
  }
  std::printf("{\"row\":\"%s by %s\",\"checksum\":%u,\"hashed_mb_per_s\":%.0f}\n", which.row,
              kernel.name, checksum, best);
}

}  // namespace

int main() {
  for (const Case& which : kCases) {
    for (const Kernel* kernel :
         {&sha256_kernels::scalar(), sha256_kernels::shaNi(), sha256_kernels::armv8()}) {
      if (kernel != nullptr) measure(*kernel, which);
    }
  }
  return 0;
}
