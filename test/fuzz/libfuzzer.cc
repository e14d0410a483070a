// The targets under libFuzzer. SERIESDB_FUZZ_TARGET names the target, SERIESDB_FUZZ_SEEDS a folder
// for its seeds.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "target.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t sizeMax);

namespace seriesdb::fuzz {

std::vector<Target>& targets() {
  static std::vector<Target> all;
  return all;
}

namespace {

const Target& chosen() {
  static const Target* const found = [] {
    const char* const name = std::getenv("SERIESDB_FUZZ_TARGET");
    for (const Target& one : targets()) {
      if (name != nullptr && std::strcmp(one.name, name) == 0) return &one;
    }
    std::fprintf(stderr, "SERIESDB_FUZZ_TARGET names no target\n");
    std::exit(2);
  }();
  return *found;
}

}  // namespace
}  // namespace seriesdb::fuzz

using seriesdb::fuzz::chosen;

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* const folder = std::getenv("SERIESDB_FUZZ_SEEDS");
  if (folder == nullptr) return 0;
  seriesdb::fuzz::Random random(1);
  int number = 0;
  for (const seriesdb::ByteBuffer& seed : chosen().seeds(random)) {
    std::ofstream file(folder + ("/" + std::to_string(++number)), std::ios::binary);
    file << seriesdb::asText(seed);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen().read({data, size});
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t sizeMax, unsigned seed) {
  const std::size_t mutated = LLVMFuzzerMutate(data, size, sizeMax);
  // Sometimes the checksums stay wrong.
  if (chosen().repair == nullptr || seed % 8 == 0) return mutated;
  seriesdb::ByteBuffer input(data, data + mutated);
  chosen().repair(input);
  const std::size_t kept = input.size() < sizeMax ? input.size() : sizeMax;
  std::memcpy(data, input.data(), kept);
  return kept;
}
