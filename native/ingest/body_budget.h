// Limits of one request's body: its bytes, and the text made from them.
//
// A few bytes may expand to much text. Examples are a symbol number, a resource's labels for each
// point, and a line's tags for each field. Readers spend a budget before they make such text. So
// time and memory of a request are linear in its bytes, in any format.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "common/base/bytes.h"
#include "common/base/status.h"

namespace seriesdb {

// The maximum text made from one line, series or point, which is read without a pause.
inline constexpr std::size_t kRecordTextMax = std::size_t{1} << 20;

// The work that remains for a step of a parser. The unit is the time of reading a byte, some 16 ns.
class StepAllowance {
 public:
  // More work at a time would keep the thread for longer than an eighth of a turn.
  static constexpr std::size_t kWorkMax = std::size_t{16} << 10;
  // The cost of a field, beside its bytes.
  static constexpr std::size_t kFieldCost = 8;
  // The cost of a lookup in the index and in the pending entries.
  static constexpr std::size_t kLookupCost = 16;
  // The cost of keeping a new series or descriptor until the commit.
  static constexpr std::size_t kPendingCost = 64;
  // The cost of PlainArray::freePart().
  static constexpr std::size_t kFreeCost = std::size_t{8} << 10;

  void begin(std::size_t size) { left_ = std::max<std::size_t>(size, 1); }
  void take(std::size_t size) { left_ -= std::min(left_, size); }
  bool isUsedUp() const { return left_ == 0; }
  std::size_t left() const { return left_; }

 private:
  std::size_t left_ = 0;
};

class BodyBudget {
 public:
  // Text bytes per body byte; ordinary requests make 1 to 10.
  static constexpr std::size_t kTextPerByte = 32;
  // Additional text bytes of every request, so that no small one is refused.
  static constexpr std::size_t kTextFree = std::size_t{4} << 20;

  explicit BodyBudget(std::size_t bodySizeMax) : bodySizeMax_(bodySizeMax) {}

  // Returns the part of the chunk within the limit of a body. This part is parsed even if the rest
  // exceeds the limit, so the first error does not depend on the chunk boundaries.
  Bytes arrive(Bytes chunk) {
    const Bytes taken = chunk.first(std::min(bodySizeMax_ - bodySize_, chunk.size()));
    bodySize_ += taken.size();
    return taken;
  }

  // Call before making so many bytes of text. kPayloadTooLarge ends even a lenient request.
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
