// The cost of parsing a body: processor time, memory, and the longest step.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "ingest/counted_memory.h"
#include "ingest/ingest_fixture.h"
#include "ingest/paced_parser.h"

namespace seriesdb::test {

struct ReaderCost {
  StatusCode code = StatusCode::kOk;
  std::string message;
  std::vector<double> steps;  // Processor seconds of each step.
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
      const double stepBegin = threadCpuSeconds();
      status = parser.write(asBytes(piece), 1);
      const std::ptrdiff_t held = CountedMemory::held() - before;
      const auto told = static_cast<std::ptrdiff_t>(parser.memoryBytes());
      cost.untoldBytes = std::max(cost.untoldBytes, held - told);
      columnBytes = std::max(columnBytes, kColumnBytes * parser.refusedCount());
      cost.steps.push_back(threadCpuSeconds() - stepBegin);
    };
    for (; !body.empty() && status.ok(); body.remove_prefix(std::min(kPieceSize, body.size()))) {
      step(body.substr(0, kPieceSize));
      while (status.ok() && parser.isWaiting()) step({});
    }
    const double finishBegin = threadCpuSeconds();
    if (status.ok()) status = parser.finish();
    cost.steps.push_back(threadCpuSeconds() - finishBegin);
    cost.code = status.code();
    cost.message = status.message();
  }
  cost.peakBytes = static_cast<std::size_t>(CountedMemory::peak() - before) + columnBytes;
  return cost;
}

}  // namespace seriesdb::test
