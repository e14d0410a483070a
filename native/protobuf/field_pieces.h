// The fields of a message that comes in pieces, each as soon as all of it is there.
#pragma once

#include <algorithm>

#include "base/bytes.h"
#include "protobuf/wire_reader.h"

namespace seriesdb {

class FieldPieces {
 public:
  // Hands each field that is whole by now to `take`, until it says false, with views that hold
  // until it returns. kEnd when all was taken, what is left of the bytes being kept; kField when
  // `take` said false; kDamaged. After the last two nothing more may come.
  template <typename Take>
  WireStep feed(Bytes bytes, Take take) {
    if (!carried_.empty()) {
      const WireStep resumed = resume(bytes, take);
      if (resumed != WireStep::kEnd) return resumed == WireStep::kCut ? WireStep::kEnd : resumed;
    }
    WireReader reader(bytes);
    WireField field;
    WireStep step = WireStep::kEnd;
    while ((step = reader.next(field)) == WireStep::kField) {
      if (!take(field)) return WireStep::kField;
    }
    if (step != WireStep::kCut) return step;
    appendBytes(carried_, reader.rest());
    return WireStep::kEnd;
  }

  // No field is begun.
  bool isWhole() const { return carried_.empty(); }
  std::size_t memoryBytes() const { return carried_.capacity(); }

 private:
  // Ends the field that an earlier piece began, and no more. Leaves in `bytes` what is behind it.
  template <typename Take>
  WireStep resume(Bytes& bytes, Take& take) {
    for (;;) {
      WireReader reader(carried_);
      WireField field;
      const WireStep step = reader.next(field);
      if (step == WireStep::kField) {
        const bool isTaken = take(field);
        carried_.clear();
        return isTaken ? WireStep::kEnd : WireStep::kField;
      }
      if (step != WireStep::kCut || bytes.empty()) return step;
      const auto size = std::min<std::uint64_t>(reader.missingCount(), bytes.size());
      appendBytes(carried_, bytes.first(static_cast<std::size_t>(size)));
      bytes = bytes.subspan(static_cast<std::size_t>(size));
    }
  }

  ByteBuffer carried_;  // The start of a field.
};

}  // namespace seriesdb
