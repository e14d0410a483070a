// Runs every fuzz target, or one: first what it is known for (its seeds, its files below corpus/),
// then mutations of them. An input that the reader took is mutated further.
//
// usage: seriesdb_fuzz [--seed N] [--runs N | --seconds N] [--corpus DIR] [--found DIR] [TARGET]
//
// Each target runs in a process of its own; an input that stops one is left in DIR of --found.
#include <fcntl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "common/digest/checksum.h"
#include "mutator.h"
#include "target.h"

extern "C" {
// Present only with the sanitizers.
__attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());
// A failed CHECK prints its stack, and small inputs may not allocate much. Undefined behaviour
// aborts like a CHECK, because the callback above sees only aborts.
__attribute__((visibility("default"))) const char* __asan_default_options() {
  return "handle_abort=1:max_allocation_size_mb=512";
}
__attribute__((visibility("default"))) const char* __ubsan_default_options() {
  return "print_stacktrace=1:abort_on_error=1";
}
}

namespace seriesdb::fuzz {

std::vector<Target>& targets() {
  static std::vector<Target> all;
  return all;
}

namespace {

namespace fs = std::filesystem;

struct Options {
  std::uint64_t seed = 0;
  std::uint64_t runs = 2000;
  double seconds = 0;  // If above 0, replaces runs.
  fs::path corpus = "test/fuzz/corpus";
  fs::path found = "build/fuzz-found";
  std::string target;
};

// The CPU time limit of one input.
constexpr int kSecondsMax = 5;
// A target that exceeds its time by this much hangs without using CPU time.
constexpr double kHangSeconds = 600;
constexpr std::size_t kTakenMax = 256;

using Clock = std::chrono::steady_clock;

// The current input, for the handlers below.
Bytes current;
std::uint64_t executions = 0;
const Target* running = nullptr;
const Options* options = nullptr;

void keepInput() {
  char name[64];
  std::snprintf(name, sizeof name, "%s-%08x", running->name, crc32c(current));
  const fs::path path = options->found / name;
  const int file = open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0644);
  if (file < 0 || write(file, current.data(), current.size()) < 0) return;
  close(file);
  std::fprintf(stderr, "the input of %s is in %s\n", running->name, path.c_str());
}

void onSignal(int number) {
  keepInput();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

// Runs once a second of CPU time.
void onTick(int) {
  static std::uint64_t seen = 0;
  static int ticks = 0;
  ticks = seen == executions ? ticks + 1 : 0;
  seen = executions;
  if (ticks < kSecondsMax) return;
  std::fprintf(stderr, "%s: an input takes longer than %d s\n", running->name, kSecondsMax);
  std::abort();
}

void watch() {
  if (__sanitizer_set_death_callback != nullptr) {
    __sanitizer_set_death_callback(&keepInput);
  } else {
    for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
      std::signal(number, &onSignal);
    }
  }
  std::signal(SIGVTALRM, &onTick);
  const itimerval second{{1, 0}, {1, 0}};
  setitimer(ITIMER_VIRTUAL, &second, nullptr);
}

// Reads a copy of exactly its size, so that a sanitizer sees a read past its end.
bool execute(const Target& target, Bytes input) {
  const ByteBuffer exact(input.begin(), input.end());
  current = exact;
  ++executions;
  return target.read(exact);
}

std::vector<ByteBuffer> corpusOf(const Target& target) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& one : fs::directory_iterator(options->corpus / target.name, error)) {
    files.push_back(one.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<ByteBuffer> inputs;
  for (const fs::path& path : files) {
    std::ifstream file(path, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return inputs;
}

// False if a seed is refused, or repair() changes it: the target would test nothing.
bool readSeeds(const Target& target, const std::vector<ByteBuffer>& seeds) {
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    ByteBuffer repaired = seeds[i];
    if (target.repair != nullptr) target.repair(repaired);
    if (repaired == seeds[i] && execute(target, seeds[i])) continue;
    std::printf("    seed %zu is %s\n", i, repaired == seeds[i] ? "refused" : "repaired");
    return false;
  }
  return !seeds.empty();
}

// Fuzzes one target in this process. Returns its exit code.
int fuzz(const Target& target) {
  watch();
  Random random(options->seed);
  std::vector<ByteBuffer> pool = target.seeds(random);
  if (!readSeeds(target, pool)) return 1;
  const std::size_t seedCount = pool.size();
  for (const ByteBuffer& input : corpusOf(target)) {
    execute(target, input);
    pool.push_back(input);
  }
  const std::size_t known = pool.size();
  const auto end = Clock::now() + std::chrono::duration<double>(options->seconds);
  std::uint64_t runs = 0;
  std::uint64_t taken = 0;
  ByteBuffer input;
  while (options->seconds > 0 ? Clock::now() < end : runs < options->runs / target.cost) {
    ++runs;
    input = pool[random() % pool.size()];
    mutate(input, pool[random() % pool.size()], target.words, random);
    if (target.repair != nullptr && random() % 8 != 0) target.repair(input);
    if (!execute(target, input)) continue;
    if (taken < kTakenMax) {
      pool.push_back(input);
    } else if (random() % 4 == 0) {
      pool[known + random() % kTakenMax] = input;
    }
    ++taken;
  }
  std::printf("  ok   %s (%s: %zu seeds, %zu files, %llu mutations, %llu taken)\n", target.sentence,
              target.name, seedCount, known - seedCount, static_cast<unsigned long long>(runs),
              static_cast<unsigned long long>(taken));
  return 0;
}

// False if the child did not exit normally.
bool awaits(pid_t child, int& status) {
  const auto end = Clock::now() + std::chrono::duration<double>(options->seconds + kHangSeconds);
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (Clock::now() < end) {
      usleep(1000);
      continue;
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return false;
  }
  return true;
}

bool passes(const Target& target) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    running = &target;
    // exit() also runs the sanitizers' final checks.
    std::exit(fuzz(target));
  }
  int status = 0;
  const bool hasEnded = awaits(child, status);
  if (hasEnded && WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  std::printf("  FAIL %s (%s)%s\n", target.sentence, target.name,
              hasEnded ? "" : ": it did not end");
  return false;
}

// A folder without a target holds files that no target reads.
int strayFolders() {
  int strays = 0;
  std::error_code error;
  for (const auto& one : fs::directory_iterator(options->corpus, error)) {
    const std::string name = one.path().filename();
    const bool isKnown = std::any_of(targets().begin(), targets().end(),
                                     [&name](const Target& known) { return name == known.name; });
    if (isKnown) continue;
    std::printf("  FAIL %s is no target's\n", one.path().c_str());
    ++strays;
  }
  return strays;
}

int runAll() {
  std::sort(targets().begin(), targets().end(),
            [](const Target& a, const Target& b) { return std::string_view(a.name) < b.name; });
  std::error_code error;
  fs::create_directories(options->found, error);
  int passed = 0;
  int failed = strayFolders();
  for (const Target& target : targets()) {
    if (!options->target.empty() && options->target != target.name) continue;
    passes(target) ? ++passed : ++failed;
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}

Options parse(int argc, char** argv) {
  Options parsed;
  parsed.seed = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch() /
                                           std::chrono::nanoseconds(1));
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const char* const value = i + 1 < argc ? argv[i + 1] : "";
    if (!word.starts_with("--")) {
      parsed.target = word;
      continue;
    }
    if (word == "--seed") parsed.seed = std::strtoull(value, nullptr, 10);
    if (word == "--runs") parsed.runs = std::strtoull(value, nullptr, 10);
    if (word == "--seconds") parsed.seconds = std::strtod(value, nullptr);
    if (word == "--corpus") parsed.corpus = value;
    if (word == "--found") parsed.found = value;
    ++i;
  }
  return parsed;
}

}  // namespace
}  // namespace seriesdb::fuzz

int main(int argc, char** argv) {
  const seriesdb::fuzz::Options parsed = seriesdb::fuzz::parse(argc, argv);
  seriesdb::fuzz::options = &parsed;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::printf("seed %llu\n", static_cast<unsigned long long>(parsed.seed));
  return seriesdb::fuzz::runAll();
}
