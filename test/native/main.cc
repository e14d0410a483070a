// Runs every native test, or those whose file or title contains the first free argument.
// usage: seriesdb_tests [--seed N] [--part K/N] [FILTER]
// With --part each Nth of them from the Kth on, so that N processes run all.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "harness.h"

namespace seriesdb::test {
namespace {
int failuresOfCase = 0;
std::uint64_t runSeed = 0;
std::vector<std::string> directories;

// A test that runs longer is stuck, on any machine.
constexpr unsigned kSecondsMax = 600;
const Case* running = nullptr;

// A slower test prints its time, since all tests also run with each sanitizer.
constexpr double kSlowSeconds = 0.5;

void onAlarm(int) {
  std::fprintf(stderr, "  FAIL %s (%s): not done after %u s\n", running->sentence, running->file,
               kSecondsMax);
  std::abort();
}
}  // namespace

std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

void fail(const char* file, int line, const std::string& what) {
  ++failuresOfCase;
  if (failuresOfCase <= 5) std::printf("    %s:%d: %s\n", file, line, what.c_str());
}

std::uint64_t seed() { return runSeed; }

std::string temporaryDirectory() {
  std::string pattern = (std::filesystem::temp_directory_path() / "seriesdb-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) std::abort();
  directories.push_back(pattern);
  return pattern;
}

// Selects one test of every `count`: the one at this position.
struct Part {
  std::size_t place = 0;
  std::size_t count = 1;
};

static int runAll(const char* filter, Part part) {
  int passed = 0;
  int failed = 0;
  std::size_t at = 0;
  std::signal(SIGALRM, &onAlarm);
  for (const Case& one : cases()) {
    if (filter != nullptr && std::strstr(one.file, filter) == nullptr &&
        std::strstr(one.sentence, filter) == nullptr) {
      continue;
    }
    if (at++ % part.count != part.place) continue;
    failuresOfCase = 0;
    running = &one;
    alarm(kSecondsMax);
    const auto begin = std::chrono::steady_clock::now();
    one.run();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (failuresOfCase == 0) {
      ++passed;
      std::printf("  ok   %s", one.sentence);
    } else {
      ++failed;
      std::printf("  FAIL %s (%s)", one.sentence, one.file);
    }
    if (took.count() >= kSlowSeconds) std::printf(" (%.1f s)", took.count());
    std::printf("\n");
  }
  for (const auto& directory : directories) std::filesystem::remove_all(directory);
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}
}  // namespace seriesdb::test

int main(int argc, char** argv) {
  const char* filter = nullptr;
  seriesdb::test::Part part;
  seriesdb::test::runSeed =
      static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--seed") == 0 && i + 1 < argc) {
      seriesdb::test::runSeed = std::strtoull(argv[++i], nullptr, 10);
    } else if (std::strcmp(argv[i], "--part") == 0 && i + 1 < argc) {
      char* rest = nullptr;
      const std::size_t number = std::strtoull(argv[++i], &rest, 10);
      part.count = *rest == '/' ? std::strtoull(rest + 1, nullptr, 10) : 0;
      if (number == 0 || number > part.count) {
        std::fprintf(stderr, "--part needs two numbers such as 1/2\n");
        return 1;
      }
      part.place = number - 1;
    } else {
      filter = argv[i];
    }
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::printf("seed %llu\n", static_cast<unsigned long long>(seriesdb::test::runSeed));
  return seriesdb::test::runAll(filter, part);
}
