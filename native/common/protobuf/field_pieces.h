// The fields of a message that comes in pieces, each as soon as all of it is there. A long one is
// copied, so that its reader may pause in it.
#pragma once

#include <algorithm>
#include <functional>

#include "common/base/bytes.h"
#include "common/base/check.h"
#include "common/base/plain_array.h"
#include "common/protobuf/wire_reader.h"

namespace seriesdb {

class FieldPieces {
 public:
  static bool isLong(const WireField& field) {
    return field.type == WireType::kBytes && field.bytes.size() >= kLongSize;
  }

  // The next piece, which is lent until keep(). REQUIRES: next() said kEnd of the one before.
  void lend(Bytes piece) {
    CHECK(rest_.empty());
    rest_ = piece;
  }
  // The next field that is whole. Its views hold until the next call; those of a short one end with
  // keep(). kEnd when the start of a field is left at most; kDamaged, and nothing more may come.
  WireStep next(WireField& field) {
    if (isTaken_) forgetTaken();
    if (!carried_.empty()) return complete(field);
    WireReader reader(rest_);
    const WireStep step = reader.next(field);
    if (step == WireStep::kEnd || step == WireStep::kDamaged) return step;
    if (step == WireStep::kField && !isLong(field)) {
      rest_ = reader.rest();
      return step;
    }
    carry(step == WireStep::kField ? rest_.size() - reader.rest().size() : rest_.size());
    return complete(field);
  }
  // Copies what is left of the lent piece.
  void keep() {
    if (rest_.empty() || isKept()) return;
    PlainArray<std::uint8_t> kept;
    kept.append(rest_);
    kept_ = std::move(kept);
    rest_ = {kept_.data(), kept_.size()};
  }

  // No field is begun.
  bool isWhole() const { return carried_.empty() || isTaken_; }
  std::size_t memoryBytes() const { return carried_.capacity() + kept_.capacity(); }

 private:
  static constexpr std::size_t kLongSize = std::size_t{16} << 10;

  bool isKept() const {
    return std::less_equal<>()(kept_.begin(), rest_.data()) &&
           std::less<>()(rest_.data(), kept_.end());
  }
  void carry(std::size_t size) {
    carried_.append(rest_.first(size));
    rest_ = rest_.subspan(size);
    if (rest_.empty()) kept_ = {};
  }
  void forgetTaken() {
    isTaken_ = false;
    if (carried_.capacity() > kLongSize) carried_ = {};
    carried_.resize(0);
  }
  // Ends the field that an earlier piece began, and no more.
  WireStep complete(WireField& field) {
    for (;;) {
      WireReader reader({carried_.data(), carried_.size()});
      const WireStep step = reader.next(field);
      isTaken_ = step == WireStep::kField;
      if (step != WireStep::kCut) return step;
      if (rest_.empty()) return WireStep::kEnd;
      const auto size = std::min<std::uint64_t>(reader.missingCount(), rest_.size());
      carry(static_cast<std::size_t>(size));
    }
  }

  PlainArray<std::uint8_t> carried_;  // The start of a field, or all of one that next() gave.
  bool isTaken_ = false;              // The latter.
  Bytes rest_;                        // Of the piece.
  PlainArray<std::uint8_t> kept_;     // Where the rest is, if it is not lent.
};

}  // namespace seriesdb
