// What the body of one request may cost: the bytes that it has, and the text made of them.
//
// A few bytes can stand for much text: a number for a symbol, a point for all labels of its
// resource, a field of a line for all of its tags. Readers ask before they make such text, so that
// time and memory of a request are linear in its bytes, whatever the format.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "common/base/bytes.h"
#include "common/base/status.h"

namespace seriesdb {

// Of what one line, series or point makes of itself: it is read without a pause.
inline constexpr std::size_t kRecordTextMax = std::size_t{1} << 20;

// What one step of a parser may still do, in bytes that it could read meanwhile: some 16 ns each.
class StepAllowance {
 public:
  // Of a field, beside its bytes.
  static constexpr std::size_t kFieldCost = 8;
  // To look for a text in the index and in what is pending.
  static constexpr std::size_t kLookupCost = 16;
  // To keep a new series or descriptor until the commit.
  static constexpr std::size_t kPendingCost = 64;

  void begin(std::size_t size) { left_ = std::max<std::size_t>(size, 1); }
  void take(std::size_t size) { left_ -= std::min(left_, size); }
  bool isUsedUp() const { return left_ == 0; }
  std::size_t left() const { return left_; }

 private:
  std::size_t left_ = 0;
};

class BodyBudget {
 public:
  // Ordinary requests make 1 to 10 bytes a byte.
  static constexpr std::size_t kTextPerByte = 32;
  // What a request may make beside that, so that no small one is refused.
  static constexpr std::size_t kTextFree = std::size_t{4} << 20;

  explicit BodyBudget(std::size_t bodySizeMax) : bodySizeMax_(bodySizeMax) {}

  // The part of the chunk that is within the limit of a body. It is parsed even when the rest is
  // too much, so that the error which comes first does not depend on how the body was cut.
  Bytes arrive(Bytes chunk) {
    const Bytes taken = chunk.first(std::min(bodySizeMax_ - bodySize_, chunk.size()));
    bodySize_ += taken.size();
    return taken;
  }

  // kPayloadTooLarge, which ends a request that sets bad lines aside, too. Asked before as many
  // bytes of text are made.
  Status spend(std::size_t bytes) {
    spentBytes_ += bytes;
    if (spentBytes_ <= kTextFree || spentBytes_ - kTextFree <= bodySize_ * kTextPerByte) return {};
    return {StatusCode::kPayloadTooLarge,
            "the request repeats names, labels or texts to more than " +
                std::to_string(kTextPerByte) + " times its size; send it in parts"};
  }
  std::uint64_t spentBytes() const { return spentBytes_; }

 private:
  std::size_t bodySizeMax_;
  std::size_t bodySize_ = 0;
  std::uint64_t spentBytes_ = 0;
};

}  // namespace seriesdb
