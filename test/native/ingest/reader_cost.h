// What it takes to read a body: time of the processor, memory, and its longest step.
#pragma once

#include <time.h>

#include <algorithm>
#include <string_view>

#include "ingest/counted_memory.h"
#include "ingest/ingest_fixture.h"
#include "ingest/paced_parser.h"

namespace seriesdb::test {

struct ReaderCost {
  StatusCode code = StatusCode::kOk;
  std::string message;
  double cpuSeconds = 0;
  double longestStep = 0;
  std::size_t peakBytes = 0;
};

inline double threadCpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// As the server reads it: pieces that come in, one step a turn.
inline ReaderCost costOf(ParserState& state, std::string_view body, const IngestOptions& options,
                         MakeParser make) {
  constexpr std::size_t kPieceSize = std::size_t{64} << 10;
  ReaderCost cost;
  const std::ptrdiff_t before = CountedMemory::held();
  CountedMemory::peak() = before;
  const double begin = threadCpuSeconds();
  {
    PacedParser parser(make(state, options));
    Status status;
    const auto step = [&](std::string_view piece) {
      const double stepBegin = threadCpuSeconds();
      status = parser.write(asBytes(piece), 1);
      cost.longestStep = std::max(cost.longestStep, threadCpuSeconds() - stepBegin);
    };
    for (; !body.empty() && status.ok(); body.remove_prefix(std::min(kPieceSize, body.size()))) {
      step(body.substr(0, kPieceSize));
      while (status.ok() && parser.isWaiting()) step({});
    }
    if (status.ok()) status = parser.finish();
    cost.code = status.code();
    cost.message = status.message();
  }
  cost.cpuSeconds = threadCpuSeconds() - begin;
  cost.peakBytes = static_cast<std::size_t>(CountedMemory::peak() - before);
  return cost;
}

}  // namespace seriesdb::test
