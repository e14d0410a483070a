// A series as the index is asked for it: its identity text, and where the canonical text of each
// label lies in it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "index/memory_series_index.h"
#include "model/identity.h"

namespace seriesdb {

// Of a series as it is asked for; `labels` ascend by key.
inline Status checkShape(std::string_view name, std::span<const Label> labels) {
  if (name.empty() || name.size() > kNameSizeMax) {
    return Status::invalid("a series name has 1 to 255 bytes");
  }
  if (labels.size() > kLabelCountMax) return Status::invalid("a series has at most 64 labels");
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i].key.empty() || labels[i].key.size() > kNameSizeMax) {
      return Status::invalid("a label key has 1 to 255 bytes");
    }
    if (i > 0 && labels[i - 1].key >= labels[i].key) {
      return Status::invalid("the labels are not sorted by key");
    }
  }
  return {};
}

struct MemorySeriesIndex::Wanted {
  std::string_view name;
  std::span<const Label> labels;
  std::uint32_t hash = 0;
  std::string identity;
  std::array<std::uint32_t, kLabelCountMax> pairBegin;
  std::array<std::uint32_t, kLabelCountMax> pairEnd;

  // Renders the identity of identityText(), one label at a time, to learn where each pair begins
  // and ends.
  Wanted(std::string_view ofName, std::span<const Label> ofLabels)
      : name(ofName), labels(ofLabels) {
    identity.reserve(256);
    identity.append(name).append("|{");
    for (std::size_t i = 0; i < labels.size(); ++i) {
      // `{"k":"v"}`, whose brace becomes the comma before it, or closes the gap to the one above.
      if (i == 0) identity.pop_back();
      const std::size_t at = identity.size();
      appendCanonicalLabels(identity, labels.subspan(i, 1));
      if (i > 0) identity[at] = ',';
      identity.pop_back();
      pairBegin[i] = static_cast<std::uint32_t>(at + 1);
      pairEnd[i] = static_cast<std::uint32_t>(identity.size());
    }
    identity.push_back('}');
  }
  std::string_view pair(std::size_t label) const {
    return std::string_view(identity).substr(pairBegin[label], pairEnd[label] - pairBegin[label]);
  }
  Status checkSize() const {
    if (identity.size() <= kIdentitySizeMax) return {};
    return Status::invalid("the identity of a series has at most 16 KiB");
  }
};

}  // namespace seriesdb
