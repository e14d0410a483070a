// A test is a sentence that could be false. TEST("…") { EXPECT(…); } anywhere in test/native.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace seriesdb::test {

struct Case {
  const char* file;
  const char* sentence;
  void (*run)();
};
std::vector<Case>& cases();
struct Registration {
  Registration(const char* file, const char* sentence, void (*run)()) {
    cases().push_back({file, sentence, run});
  }
};
void fail(const char* file, int line, const std::string& what);
// The seed of this run's random tests: --seed N, otherwise taken from the clock and printed.
std::uint64_t seed();
// Rounds of a random test of one thread. Slow builds run fewer: an eighth with ThreadSanitizer,
// which finds nothing there, a quarter with AddressSanitizer or without optimization.
template <typename Count>
constexpr Count rounds(Count all) {
#if defined(__SANITIZE_THREAD__)
  return (all + 7) / 8;
#elif defined(__SANITIZE_ADDRESS__) || !defined(NDEBUG)
  return (all + 3) / 4;
#else
  return all;
#endif
}
// The step of a loop over all positions: 1, or larger in proportion if rounds are fewer.
inline constexpr std::size_t kStride = 8 / rounds(std::size_t{8});
// The same, but always odd, for loops where the parity of a position matters.
inline constexpr std::size_t kOddStride = kStride | 1;
// Makes an empty directory below the system's temporary one, removed at the end of the run.
std::string temporaryDirectory();

}  // namespace seriesdb::test

#define SERIESDB_JOIN2(a, b) a##b
#define SERIESDB_JOIN(a, b) SERIESDB_JOIN2(a, b)
#define TEST(sentence)                                                                \
  static void SERIESDB_JOIN(test_, __LINE__)();                                       \
  static const ::seriesdb::test::Registration SERIESDB_JOIN(registration_, __LINE__){ \
      __FILE__, sentence, &SERIESDB_JOIN(test_, __LINE__)};                           \
  static void SERIESDB_JOIN(test_, __LINE__)()
// A long test in which the same threads meet as in shorter tests beside it. Builds with
// ThreadSanitizer leave it out.
#if defined(__SANITIZE_THREAD__)
#define LONE_TEST(sentence) [[maybe_unused]] static void SERIESDB_JOIN(test_, __LINE__)()
#else
#define LONE_TEST(sentence) TEST(sentence)
#endif
#define EXPECT(condition)                                                     \
  do {                                                                        \
    if (!(condition)) ::seriesdb::test::fail(__FILE__, __LINE__, #condition); \
  } while (false)
// If the condition is false, the test ends.
#define REQUIRE(condition)                                    \
  do {                                                        \
    if (!(condition)) {                                       \
      ::seriesdb::test::fail(__FILE__, __LINE__, #condition); \
      return;                                                 \
    }                                                         \
  } while (false)
