// The cost of parsing a body: processor time, memory, and the longest step.
#pragma once

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ingest/counted_memory.h"
#include "ingest/ingest_fixture.h"
#include "ingest/paced_parser.h"

namespace seriesdb::test {

// The seconds that this machine takes for a fresh page of memory, above 0.4 us. A virtual machine
// may take 13 us, so that 1 MiB of samples takes longer than a turn. No reader can change that.
inline double extraSecondsPerPage() {
  static const double extra = [] {
    constexpr double kUsualSeconds = 0.4e-6;
    constexpr std::size_t kPageSize = 4096;
    constexpr std::size_t kPages = 256;
    double least = 1;
    for (int i = 0; i < 64; ++i) {
      void* const pages = mmap(nullptr, kPages * kPageSize, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (pages == MAP_FAILED) return 0.0;
      const double begin = threadCpuSeconds();
      for (std::size_t page = 0; page < kPages; ++page) {
        static_cast<volatile char*>(pages)[page * kPageSize] = 1;
      }
      least = std::min(least, (threadCpuSeconds() - begin) / kPages);
      munmap(pages, kPages * kPageSize);
    }
    return std::max(0.0, least - kUsualSeconds);
  }();
  return extra;
}

// The processor time of this thread since the timer was made, without what this machine takes more
// than others for fresh pages.
class StepTimer {
 public:
  double seconds() const {
    const auto pages = static_cast<double>(freshPages() - pagesBefore_);
    return std::max(0.0, threadCpuSeconds() - begin_ - pages * extraPerPage_);
  }

 private:
  static long freshPages() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt;
  }

  const double extraPerPage_ = extraSecondsPerPage();
  const long pagesBefore_ = freshPages();
  const double begin_ = threadCpuSeconds();
};

// The pace of this machine at the time: other processes share its cores, caches and memory. Work
// like that of a reader is timed beside the reader, and the least time of each counts.
class MachinePace {
 public:
  void measure() {
    const StepTimer timer;
    std::unordered_map<std::string, std::size_t> known;
    for (std::size_t at = 0; at < kTexts; ++at) {
      known.emplace("service.instance." + std::to_string(at * 2654435761u), at);
    }
    least_ = std::min(least_, timer.seconds());
  }
  // How many times slower it is than the machine that the bounds were measured on; at least 1.
  double slowness() const { return std::max(1.0, least_ / kUsualSeconds); }

 private:
  static constexpr std::size_t kTexts = 2000;
  static constexpr double kUsualSeconds = 0.0002;

  double least_ = 1;
};

struct ReaderCost {
  StatusCode code = StatusCode::kOk;
  std::string message;
  std::vector<double> steps;  // Seconds of each step, by StepTimer.
  double slowness = 1;        // Of the machine meanwhile; see MachinePace.
  std::size_t peakBytes = 0;
  std::ptrdiff_t untoldBytes = 0;  // Heap bytes between steps that the parser does not report.
};

// A clock on which every step is fast, so that steps grow to the maximum and are the same in every
// run.
inline PacedParser::Clock clockOfQuickSteps() {
  return [now = std::uint64_t{0}]() mutable { return ++now; };
}

// Parses as the server does: the body arrives in pieces, one step a turn.
inline ReaderCost costOf(ParserState& state, std::string_view body, const IngestOptions& options,
                         MakeParser make) {
  constexpr std::size_t kPieceSize = std::size_t{64} << 10;
  constexpr std::size_t kColumnBytes = sizeof(SeriesRef) + sizeof(Timestamp) + sizeof(double);
  ReaderCost cost;
  std::size_t columnBytes = 0;  // Columns lie outside the heap.
  const std::ptrdiff_t before = CountedMemory::held();
  CountedMemory::peak() = before;
  {
    PacedParser parser(make(state, options), clockOfQuickSteps());
    Status status;
    const auto step = [&](std::string_view piece) {
      const StepTimer timer;
      status = parser.write(asBytes(piece), 1);
      const std::ptrdiff_t held = CountedMemory::held() - before;
      const auto told = static_cast<std::ptrdiff_t>(parser.memoryBytes());
      cost.untoldBytes = std::max(cost.untoldBytes, held - told);
      columnBytes = std::max(columnBytes, kColumnBytes * parser.refusedCount());
      cost.steps.push_back(timer.seconds());
    };
    for (; !body.empty() && status.ok(); body.remove_prefix(std::min(kPieceSize, body.size()))) {
      step(body.substr(0, kPieceSize));
      while (status.ok() && parser.isWaiting()) step({});
    }
    const StepTimer timer;
    if (status.ok()) status = parser.finish();
    cost.steps.push_back(timer.seconds());
    cost.code = status.code();
    cost.message = status.message();
  }
  cost.peakBytes = static_cast<std::size_t>(CountedMemory::peak() - before) + columnBytes;
  return cost;
}

}  // namespace seriesdb::test
