// Reads one line, which has a series and its samples, while it arrives:
//
//   {"metric":{"__name__":"cpu","host":"a"},"values":[1,null],"timestamps":[1000,2000]}
//
// The three members may come in any order; others are ignored. A line may be as long as the body,
// so only its labels are kept. Its samples go behind the staged ones, and are none of them until
// the caller advances the columns.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/types/identity.h"
#include "ingest/staging.h"
#include "ingest/text/json_pieces.h"

namespace seriesdb {

class SampleLineReader {
 public:
  SampleLineReader(const IngestOptions& options, Staging& staging)
      : options_(options), staging_(staging) {}

  // Begins the next line.
  void begin();
  // Reads from the front of the piece, which has no newline, until it is used up or the step is.
  // Not called again for a line that failed.
  Status read(std::string_view& piece, StepAllowance& step);
  // Call at the end of the line. Fails if a member is missing, or the two lists differ in length.
  Status finish() const;

  // The labels in the order of the line; valid until begin().
  std::vector<Label> labels() const;
  // Labels of the line, including those that were not kept.
  std::uint64_t labelCount() const { return labelCount_; }
  std::size_t sampleCount() const { return std::max(counts_[kValues], counts_[kTimestamps]); }
  // Values written as integers that no double represents.
  std::uint64_t inexactCount() const { return inexactCount_; }
  std::size_t memoryBytes() const {
    return json_.memoryBytes() + labelTexts_.capacity() +
           labelSizes_.capacity() * sizeof(LabelSize);
  }

 private:
  enum Member : std::uint8_t { kMetric, kValues, kTimestamps, kOther };
  enum class Inside : std::uint8_t { kNothing, kLine, kMetric, kList, kOther };
  struct LabelSize {
    std::uint32_t key;
    std::uint32_t value;
  };

  Status take(JsonEvent event);
  Status takeMember(JsonEvent event);
  Status beginMember(JsonEvent event);
  Status takeLabel(JsonEvent event);
  Status takeItem(JsonEvent event);
  Status takeValue(JsonEvent event);
  Status takeTimestamp(JsonEvent event);
  void skip(JsonEvent event);
  std::string nameOfItem() const;

  const IngestOptions& options_;
  Staging& staging_;
  JsonPieces json_{"the line"};
  Inside inside_ = Inside::kNothing;
  Member member_ = kOther;
  std::size_t depth_ = 0;  // Containers open within a member that is ignored.
  std::array<bool, kOther> has_{};
  std::array<std::size_t, kOther> counts_{};  // Items of the lists.
  std::uint64_t labelCount_ = 0;
  std::uint64_t inexactCount_ = 0;
  // The labels' keys and values, one after another.
  std::string labelTexts_;
  std::vector<LabelSize> labelSizes_;
};

}  // namespace seriesdb
