// Collects the rejected lines of a request.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "ingest/body_budget.h"
#include "ingest/staged_samples.h"

namespace seriesdb {

class Rejections {
 public:
  // kPayloadTooLarge, or an error of BodyBudget::spend().
  Status add(RejectedLine line, BodyBudget& budget) {
    fit(line.error);
    fit(line.text);
    const std::size_t size = sizeof(RejectedLine) + line.error.size() + line.text.size();
    if (Status spent = budget.spend(size); !spent.ok()) return spent;
    if (bytes_ + size > kBytesMax) {
      return {StatusCode::kPayloadTooLarge, "the error messages of the request take more than " +
                                                std::to_string(kBytesMax >> 20) +
                                                " MiB; send it in parts"};
    }
    bytes_ += size;
    count_ += line.count;
    lines_.push_back(std::move(line));
    return {};
  }
  // Counts lines of text, or samples of binary formats.
  std::uint64_t count() const { return count_; }
  std::size_t memoryBytes() const { return bytes_; }
  RejectedLines take() { return std::move(lines_); }

 private:
  // A copy, because without exceptions shrink_to_fit() has no effect.
  static void fit(std::string& text) {
    if (text.capacity() > text.size()) text = std::string(std::string_view(text));
  }

  // The size of one file of rejects.
  static constexpr std::size_t kBytesMax = std::size_t{64} << 20;

  RejectedLines lines_;
  std::size_t bytes_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace seriesdb
