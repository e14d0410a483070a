// The problems of one file of a database, and its content in numbers.
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
  // Reports at most this many problems of a file.
  static constexpr std::size_t kProblemsMax = 16;

  std::vector<std::string> problems;  // Sentences.
  std::uint64_t problemCount = 0;
  std::optional<TimeRange> damaged;  // Covers all damaged samples, as far as known.
  bool isGone = false;               // True if the file vanished after it was listed.
  std::uint64_t records = 0;
  std::uint64_t series = 0;
  std::uint64_t chunks = 0;
  std::uint64_t samples = 0;  // Samples that were verified.
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
