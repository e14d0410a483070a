// What a request brought that is bad, as it is found.
#pragma once

#include <utility>
#include <vector>

#include "ingest/staged_samples.h"

namespace seriesdb {

class Rejections {
 public:
  void add(RejectedLine line) {
    bytes_ += sizeof(RejectedLine) + line.error.size() + line.text.size();
    lines_.push_back(std::move(line));
  }
  // Of what is counted: lines of text, else samples.
  std::uint64_t count() const { return rejectedCountOf(lines_); }
  std::size_t memoryBytes() const { return bytes_; }
  std::vector<RejectedLine> take() { return std::move(lines_); }

 private:
  std::vector<RejectedLine> lines_;
  std::size_t bytes_ = 0;
};

}  // namespace seriesdb
