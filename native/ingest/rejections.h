// What a request brought that is bad, as it is found.
#pragma once

#include <utility>
#include <vector>

#include "ingest/body_budget.h"
#include "ingest/staged_samples.h"

namespace seriesdb {

class Rejections {
 public:
  // What BodyBudget::spend() says.
  Status add(RejectedLine line, BodyBudget& budget) {
    const std::size_t size = sizeof(RejectedLine) + line.error.size() + line.text.size();
    if (Status spent = budget.spend(size); !spent.ok()) return spent;
    bytes_ += size;
    lines_.push_back(std::move(line));
    return {};
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
