// A series to look up: its identity text, and the place of each label's canonical text in it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "common/base/status.h"
#include "common/types/identity.h"
#include "index/memory_series_index.h"
#include "index/restoring/series_load.h"

namespace seriesdb {

struct MemorySeriesIndex::Wanted {
  std::string_view name;
  std::span<const Label> labels;
  std::uint32_t hash = 0;
  std::string identity;
  std::array<std::uint32_t, kLabelCountMax> pairBegin;
  std::array<std::uint32_t, kLabelCountMax> pairEnd;

  // Renders the identity as identityText() does, one label at a time, to learn where each pair
  // begins and ends.
  Wanted(std::string_view ofName, std::span<const Label> ofLabels)
      : name(ofName), labels(ofLabels) {
    identity.reserve(256);
    identity.append(name).append("|{");
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (i > 0) identity.push_back(',');
      pairBegin[i] = static_cast<std::uint32_t>(identity.size());
      appendCanonicalPair(identity, labels[i]);
      pairEnd[i] = static_cast<std::uint32_t>(identity.size());
    }
    identity.push_back('}');
  }
  std::string_view pair(std::size_t label) const {
    return std::string_view(identity).substr(pairBegin[label], pairEnd[label] - pairBegin[label]);
  }
  Status checkSize() const { return checkIdentitySize(identity.size()); }
};

}  // namespace seriesdb
