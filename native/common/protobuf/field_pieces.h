// The fields of a message that arrives in pieces, each as soon as it is complete. A long field is
// copied, so that its reader may pause inside it.
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

  // Lends the next piece until keep(). REQUIRES: next() returned kEnd for the previous piece.
  void lend(Bytes piece) {
    CHECK(rest_.empty());
    rest_ = piece;
  }
  // The next complete field. Its views are valid until the next call; a short field's views only
  // until keep(). kEnd: at most the start of a field is left. kDamaged: call nothing more.
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
  // Frees a part of the field that next() returned last; true if a large part is left. Otherwise
  // the following next() frees all of it at once.
  bool freePart() { return isTaken_ && carried_.capacity() > kLongSize && carried_.freePart(); }
  // Copies the rest of the lent piece.
  void keep() {
    if (rest_.empty() || isKept()) return;
    PlainArray<std::uint8_t> kept;
    kept.append(rest_);
    kept_ = std::move(kept);
    rest_ = {kept_.data(), kept_.size()};
  }

  // True if no field is incomplete.
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
  // Completes the field that an earlier piece began; takes no further bytes.
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

  // The start of a field, or a whole field that next() returned.
  PlainArray<std::uint8_t> carried_;
  bool isTaken_ = false;           // True for a whole field.
  Bytes rest_;                     // The unread rest of the piece.
  PlainArray<std::uint8_t> kept_;  // Owns the rest if it is not lent.
};

}  // namespace seriesdb
