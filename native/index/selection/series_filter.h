// Selects series by name and by labels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/types/identity.h"
#include "common/types/sample.h"
#include "index/text_list.h"

namespace seriesdb {

struct NameFilter {
  enum class Kind : std::uint8_t {
    kAny,
    kPrefix,  // Names that begin with names[0].
    kOneOf,   // Names that are in the list; an empty list matches nothing.
  };
  Kind kind = Kind::kAny;
  TextList names;

  static NameFilter any() { return {}; }
  static NameFilter exact(std::string_view name) { return {Kind::kOneOf, {name}}; }
  static NameFilter prefix(std::string_view text) { return {Kind::kPrefix, {text}}; }
  static NameFilter oneOf(TextList names) { return {Kind::kOneOf, std::move(names)}; }
};

// A condition on one label of a series.
//   If the series has the label `key`: its value is one of `values`, or with isNegated none of
//   them. If it has no such label: acceptsMissing.
// {key, {v}} is `key = v`.
// {key, {v}, isNegated, acceptsMissing} is `not (key = v)`.
// {key, {}, isNegated} is `has key`.
// {key, {}, false, acceptsMissing} is `has no key`.
struct LabelTerm {
  std::string key;
  TextList values;
  bool isNegated = false;
  bool acceptsMissing = false;
};

// One term for each label with exactly that value; an empty value matches a missing label, too.
std::vector<LabelTerm> termsOf(const OwnedLabels& labels);

enum class FilterOp : std::uint8_t { kAnd, kOr };

// A series matches if its name matches, its id is one of `ids` (if given), and all of `required`
// hold. Also all terms (kAnd) or at least one term (kOr) must hold. No terms match everything.
struct SeriesFilter {
  NameFilter name;
  std::vector<LabelTerm> terms;
  FilterOp op = FilterOp::kAnd;
  std::vector<LabelTerm> required;
  std::optional<std::vector<SeriesId>> ids;

  bool speaksOfLabels() const { return !terms.empty() || !required.empty(); }
};

// A filter with at most this many names, values or ids is short.
inline constexpr std::size_t kFewLookups = 256;

}  // namespace seriesdb
