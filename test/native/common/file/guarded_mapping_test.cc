// Mappings whose file is truncated, and the signals that other handlers of the process still get.
#include "common/file/guarded_mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <thread>

#include "common/base/check.h"
#include "harness.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kFileSize = 16 * kPage;

std::atomic<int> faultCount{0};
std::atomic<int> sentCount{0};
std::atomic<void*> foreignPage{nullptr};

// An earlier handler, as of a program that embeds the database. It repairs faults in its own page
// and counts sent signals.
void onForeignBusError(int number, siginfo_t* info, void*) {
  if (info->si_code <= 0) {
    ++sentCount;
  } else if (info->si_addr == foreignPage.load()) {
    ++faultCount;
    ::mmap(info->si_addr, kPage, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  } else {
    struct sigaction fallback {};
    fallback.sa_handler = SIG_DFL;
    ::sigaction(number, &fallback, nullptr);
  }
}

// Installed before any test makes the first mapping.
const bool isForeignInstalled = [] {
  struct sigaction action {};
  action.sa_sigaction = &onForeignBusError;
  action.sa_flags = SA_SIGINFO;
  return ::sigaction(SIGBUS, &action, nullptr) == 0;
}();

// A file of kFileSize bytes of the value 7.
class File {
 public:
  File() : path_(temporaryDirectory() + "/file") {
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    const ByteBuffer bytes(kFileSize, 7);
    CHECK(::write(descriptor_, bytes.data(), bytes.size()) == static_cast<ssize_t>(kFileSize));
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { ::close(descriptor_); }
  int descriptor() const { return descriptor_; }
  void cut(std::size_t size) { CHECK(::ftruncate(descriptor_, static_cast<off_t>(size)) == 0); }

 private:
  std::string path_;
  int descriptor_;
};

std::uint64_t sumOf(Bytes bytes) {
  std::uint64_t sum = 0;
  for (const std::uint8_t byte : bytes) sum += byte;
  return sum;
}

}  // namespace

TEST("the mapping of a truncated file reads as zeros and is marked lost; others are unaffected") {
  File file;
  File other;
  const auto kept = GuardedMapping::make(other.descriptor(), kFileSize);
  const auto mapping = GuardedMapping::make(file.descriptor(), kFileSize);
  REQUIRE(kept && mapping);
  EXPECT(sumOf(mapping->bytes()) == 7 * kFileSize && !mapping->isLost());
  file.cut(3 * kPage);
  EXPECT(sumOf(mapping->bytes().first(3 * kPage)) == 7 * 3 * kPage && !mapping->isLost());
  EXPECT(sumOf(mapping->bytes().subspan(5 * kPage)) == 0 && mapping->isLost());
  // The whole mapping is given up.
  EXPECT(sumOf(mapping->bytes()) == 0);
  EXPECT(sumOf(kept->bytes()) == 7 * kFileSize && !kept->isLost());
}

TEST("threads that read a mapping while its file is cut detect the lost bytes") {
  for (int round = 0; round < 20; ++round) {
    File file;
    const auto mapping = GuardedMapping::make(file.descriptor(), kFileSize);
    REQUIRE(mapping);
    std::atomic<int> wrong{0};
    std::array<std::thread, 4> threads;
    for (std::thread& thread : threads) {
      thread = std::thread([&] {
        while (true) {
          const std::uint64_t sum = sumOf(mapping->bytes().first(kFileSize / 2)) +
                                    sumOf(mapping->bytes().subspan(kFileSize / 2));
          if (mapping->isLost()) return;
          if (sum != 7 * kFileSize) ++wrong;
        }
      });
    }
    file.cut(0);
    for (std::thread& thread : threads) thread.join();
    EXPECT(wrong == 0);
  }
}

TEST("foreign faults and sent SIGBUS signals reach the handler that was installed before") {
  REQUIRE(isForeignInstalled);
  File ours;
  REQUIRE(GuardedMapping::make(ours.descriptor(), kFileSize) != nullptr);
  File file;
  void* page = ::mmap(nullptr, kPage, PROT_READ, MAP_SHARED, file.descriptor(), 0);
  REQUIRE(page != MAP_FAILED);
  file.cut(0);
  foreignPage = page;
  EXPECT(*static_cast<volatile const std::uint8_t*>(page) == 0 && faultCount == 1);
  ::munmap(page, kPage);
  REQUIRE(::raise(SIGBUS) == 0);
  EXPECT(sentCount == 1);
}

TEST("destroyed mappings free their slots, and a mapping past the limit is refused") {
  File file;
  std::vector<std::unique_ptr<GuardedMapping>> mappings;
  for (int round = 0; round < 2; ++round) {
    while (auto mapping = GuardedMapping::make(file.descriptor(), kFileSize)) {
      mappings.push_back(std::move(mapping));
      REQUIRE(mappings.size() <= GuardedMapping::kCountMax);
    }
    EXPECT(mappings.size() > 100);
    // The handler finds a mapping in the middle of many.
    const auto& middle = mappings[mappings.size() / 2];
    file.cut(0);
    EXPECT(sumOf(middle->bytes()) == 0 && middle->isLost());
    EXPECT(!mappings.front()->isLost() && !mappings.back()->isLost());
    file.cut(kFileSize);
    mappings.clear();
  }
}
