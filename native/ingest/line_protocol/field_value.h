// Reads a field's value in line protocol.
#pragma once

#include <optional>
#include <string_view>

#include "common/base/status.h"
#include "ingest/record.h"

namespace seriesdb {

struct FieldValue {
  double value = 0;
  bool isInexact = false;  // An integer that no double represents exactly.
  ValueForm form = ValueForm::kNumber;
  std::size_t tokenSize = 0;  // The size of the number; 0 for a word.
  // The reason why the value makes no sample; null for a number or boolean.
  std::optional<SkipReason> skipped;
};

// kInvalidRecord if the text is no value. REQUIRES: a string includes its quotes.
Status readFieldValue(std::string_view text, FieldValue& out);

}  // namespace seriesdb
