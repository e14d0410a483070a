// A reader of bytes that is fuzzed: how it is called, what it is fed, and what always holds.
//
// A target registers itself, in a file below targets/. The program of our own (driver.cc)
// and libFuzzer (libfuzzer.cc) both run every target; see docs/internals/fuzzing.md.
#pragma once

#include <random>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"

namespace seriesdb::fuzz {

using Random = std::mt19937_64;

struct Target {
  // Also of its folder below corpus/.
  const char* name;
  // What holds for every input: a sentence that could be false.
  const char* sentence;
  // Reads the input, and stops the process by a CHECK where the sentence does not hold. Whether the
  // reader took the input: such an input is mutated further.
  bool (*read)(Bytes input);
  // Whole inputs, as the writers make them. Small, so that a mutation meets something that counts.
  std::vector<ByteBuffer> (*seeds)(Random& random);
  // Sets the checksums right, so that a mutation gets behind them. Null where there are none.
  void (*repair)(ByteBuffer& input) = nullptr;
  // Of texts: pieces that are put in as a whole.
  std::vector<std::string_view> words{};
  // How many times as long an input takes as one of the others; so many fewer are run.
  std::uint64_t cost = 1;
};

// By name.
std::vector<Target>& targets();

struct Registration {
  explicit Registration(Target target) { targets().push_back(std::move(target)); }
};

}  // namespace seriesdb::fuzz
