// The value of a field as line protocol writes it.
#pragma once

#include <optional>
#include <string_view>

#include "common/base/status.h"
#include "ingest/record.h"

namespace seriesdb {

struct FieldValue {
  double value = 0;
  bool isInexact = false;  // An integer that no double equals.
  ValueForm form = ValueForm::kNumber;
  std::size_t tokenSize = 0;         // Of the number; 0 for a word.
  std::optional<SkipReason> skipped;  // What is no number is no sample.
};

// kInvalidRecord for a text that is no value. REQUIRES: a string has its quotes.
Status readFieldValue(std::string_view text, FieldValue& out);

}  // namespace seriesdb
