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
  // Also the name of its folder below corpus/.
  const char* name;
  // The invariant of every input: a sentence that could be false.
  const char* sentence;
  // Reads the input, and aborts by a CHECK if the sentence is false. Returns whether the reader
  // accepted the input; accepted inputs are mutated further.
  bool (*read)(Bytes input);
  // Valid inputs, made by the writers. Small, so that mutations hit relevant bytes.
  std::vector<ByteBuffer> (*seeds)(Random& random);
  // Repairs checksums, so that mutations get behind them. Null if there are none.
  void (*repair)(ByteBuffer& input) = nullptr;
  // For texts: words that are inserted whole.
  std::vector<std::string_view> words{};
  // The relative cost of an input; the number of runs is divided by it.
  std::uint64_t cost = 1;
};

// By name.
std::vector<Target>& targets();

struct Registration {
  explicit Registration(Target target) { targets().push_back(std::move(target)); }
};

}  // namespace seriesdb::fuzz
