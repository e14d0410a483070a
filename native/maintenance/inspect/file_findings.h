// What is wrong with one file of a database, and what it holds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/types/sample.h"

namespace seriesdb {

struct FileFindings {
  // A file that is damaged all over is told by so many of its faults.
  static constexpr std::size_t kProblemsMax = 16;

  std::vector<std::string> problems;  // Sentences.
  std::uint64_t problemCount = 0;
  std::optional<TimeRange> damaged;  // All samples that are damaged lie in it, as far as is known.
  bool isGone = false;               // It was there when the files were listed.
  std::uint64_t records = 0;
  std::uint64_t series = 0;
  std::uint64_t chunks = 0;
  std::uint64_t samples = 0;  // That were found right.
  std::uint64_t tornBytes = 0;

  void add(std::string problem) {
    if (problemCount++ < kProblemsMax) problems.push_back(std::move(problem));
  }
  void add(TimeRange range, std::string problem) {
    damaged = damaged ? TimeRange{std::min(damaged->start, range.start),
                                  std::max(damaged->end, range.end)}
                      : range;
    add(std::move(problem));
  }
};

}  // namespace seriesdb
