#include "bucket/layout.h"

#include <algorithm>
#include <charconv>
#include <span>

#include "common/types/file_names.h"

namespace seriesdb {
namespace {

constexpr std::size_t kEpochDigits = 8;
constexpr std::size_t kNumberDigits = 12;
constexpr std::size_t kIdBytes = 4;

std::string padded(std::uint64_t number, std::size_t digits) {
  std::string text = std::to_string(number);
  if (text.size() < digits) text.insert(0, digits - text.size(), '0');
  return text;
}

// The number that padded() writes so; nullopt for other texts, for more digits, and for 0.
std::optional<std::uint64_t> numberIn(std::string_view text, std::size_t digits) {
  const auto isDigit = [](char one) { return one >= '0' && one <= '9'; };
  if (text.size() != digits || !std::ranges::all_of(text, isDigit)) return std::nullopt;
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  if (number == 0) return std::nullopt;
  return number;
}

std::string hashKey(std::string_view folder, const Sha256& hash) {
  std::string key(folder);
  key += file_names::objectFolder(hash);
  key += '/';
  key += file_names::objectFile(hash);
  return key;
}

std::optional<Sha256> hashIn(std::string_view name) {
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  return file_names::objectHash(name.substr(0, slash), name.substr(slash + 1));
}

}  // namespace

BucketLayout::BucketLayout(const DatabaseId& id) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : std::span(id).first<kIdBytes>()) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  spine_ = "spine-" + text + "/";
  logs_ = "log-" + text + "/";
}

std::string BucketLayout::logFolder(std::uint64_t epoch) const {
  return logs_ + padded(epoch, kEpochDigits) + "/";
}

std::string BucketLayout::keyOf(const EntryPlace& place) const {
  return spine_ + padded(place.number, kNumberDigits);
}
std::string BucketLayout::keyOf(const GroupPlace& place) const {
  return logFolder(place.epoch) + padded(place.number, kNumberDigits);
}
std::string BucketLayout::keyOf(const SegmentPlace& place) const {
  return hashKey(kBucketSegments, place.hash);
}
std::string BucketLayout::keyOf(const PartPlace& place) const {
  return hashKey(kBucketParts, place.hash);
}

std::optional<BucketPlace> BucketLayout::placeOf(std::string_view key) const {
  const auto behind = [&](std::string_view prefix) -> std::optional<std::string_view> {
    if (!key.starts_with(prefix)) return std::nullopt;
    return key.substr(prefix.size());
  };
  if (const auto name = behind(spine_)) {
    const auto number = numberIn(*name, kNumberDigits);
    if (number) return EntryPlace{*number};
  } else if (const auto path = behind(logs_)) {
    const auto epoch = numberIn(path->substr(0, kEpochDigits), kEpochDigits);
    const std::string_view rest = path->substr(std::min(path->size(), kEpochDigits));
    if (!epoch || !rest.starts_with('/')) return std::nullopt;
    const auto number = numberIn(rest.substr(1), kNumberDigits);
    if (number) return GroupPlace{*epoch, *number};
  } else if (const auto segment = behind(kBucketSegments)) {
    const auto hash = hashIn(*segment);
    if (hash) return SegmentPlace{*hash};
  } else if (const auto part = behind(kBucketParts)) {
    const auto hash = hashIn(*part);
    if (hash) return PartPlace{*hash};
  }
  return std::nullopt;
}

}  // namespace seriesdb
