#include "index/restoring/series_load.h"

#include "common/digest/hash.h"

namespace seriesdb {

Status checkShape(std::string_view name, std::span<const Label> labels) {
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

Status checkIdentitySize(std::size_t size) {
  if (size <= kIdentitySizeMax) return {};
  return Status::invalid("the identity of a series has at most 16 KiB");
}

Status SeriesLoad::add(const SeriesView& series, LeftOut before) {
  const auto refuse = [&series](const Status& why) {
    return Status::corrupt("series " + std::to_string(series.ref) + ": " + why.message());
  };
  const auto& [ref, id, name, labels] = series;
  if (Status shape = checkShape(name, labels); !shape.ok()) return refuse(shape);
  const std::uint32_t number = nameNumber(name);
  const auto pairsAt = static_cast<std::uint32_t>(pairNumbers_.size());
  identity_.assign(name).append("|{");
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::uint32_t pair = pairNumber(labels[i], i);
    pairNumbers_.push_back(pair);
    if (i > 0) identity_.push_back(',');
    identity_.append(canonicalOf(pairs_[pair]));
  }
  identity_.push_back('}');
  if (Status size = checkIdentitySize(identity_.size()); !size.ok()) return refuse(size);
  series_.push_back({id, ref, hashOf(identity_), number, pairsAt,
                     static_cast<std::uint32_t>(labels.size()), before});
  return {};
}

std::uint32_t SeriesLoad::hashOf(std::string_view text) const {
  return static_cast<std::uint32_t>(tableHash(asBytes(text), hashSeed_) >> 32);
}

std::uint32_t SeriesLoad::nameNumber(std::string_view text) {
  const std::uint32_t hash = hashOf(text);
  const std::uint32_t known =
      nameNumbers_.find(hash, [&](std::uint32_t name) { return names_[name].text == text; });
  if (known != RefTable::kNone) return known;
  const auto number = static_cast<std::uint32_t>(names_.size());
  names_.push_back({text, hash});
  nameNumbers_.insert(hash, number);
  return number;
}

// Mostly the previous series has the same pair at the same place.
std::uint32_t SeriesLoad::pairNumber(const Label& label, std::size_t place) {
  if (series_.empty() || place >= series_.back().pairCount) return findPair(label);
  const std::uint32_t last = pairNumbers_[series_.back().pairsAt + place];
  const Label& held = pairs_[last].label;
  return held.key == label.key && held.value == label.value ? last : findPair(label);
}

std::uint32_t SeriesLoad::findPair(const Label& label) {
  const std::size_t at = texts_.size();
  appendCanonicalPair(texts_, label);
  const std::string_view canonical = std::string_view(texts_).substr(at);
  const std::uint32_t hash = hashOf(canonical);
  const std::uint32_t known = pairNumbersByText_.find(
      hash, [&](std::uint32_t pair) { return canonicalOf(pairs_[pair]) == canonical; });
  if (known != RefTable::kNone) {
    texts_.resize(at);
    return known;
  }
  const auto number = static_cast<std::uint32_t>(pairs_.size());
  pairs_.push_back({label, at, canonical.size(), hash});
  pairNumbersByText_.insert(hash, number);
  return number;
}

}  // namespace seriesdb
