#include "common/types/file_names.h"

#include <algorithm>
#include <charconv>

#include "common/file/file_system.h"

namespace seriesdb::file_names {
namespace {

constexpr std::size_t kNumberWidth = 10;
constexpr std::string_view kWalSuffix = ".wal";
constexpr std::string_view kSegmentSuffix = ".seg";
// 256 folders, so that none has more than some hundreds of files.
constexpr std::size_t kFolderDigits = 2;

std::string numbered(std::uint64_t number, std::string_view suffix) {
  std::string name = std::to_string(number);
  if (name.size() < kNumberWidth) name.insert(0, kNumberWidth - name.size(), '0');
  name += suffix;
  return name;
}

std::optional<std::uint64_t> numberOf(std::string_view name, std::string_view suffix) {
  if (!name.ends_with(suffix)) return std::nullopt;
  const std::string_view digits = name.substr(0, name.size() - suffix.size());
  std::uint64_t number = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  // Only one spelling is valid: a second one would be a second file with the same number.
  if (numbered(number, suffix) != name) return std::nullopt;
  return number;
}

}  // namespace

std::string walFile(std::uint64_t number) { return numbered(number, kWalSuffix); }
std::string segmentFile(std::uint64_t number) { return numbered(number, kSegmentSuffix); }

std::optional<std::uint64_t> walNumber(std::string_view name) { return numberOf(name, kWalSuffix); }
std::optional<std::uint64_t> segmentNumber(std::string_view name) {
  return numberOf(name, kSegmentSuffix);
}

std::string objectFolder(const Sha256& hash) { return hash.text().substr(0, kFolderDigits); }
std::string objectFile(const Sha256& hash) { return hash.text().substr(kFolderDigits); }

bool isObjectFolder(std::string_view name) { return name.size() == kFolderDigits; }

std::optional<Sha256> objectHash(std::string_view folder, std::string_view name) {
  if (!isObjectFolder(folder)) return std::nullopt;
  std::string text(folder);
  text += name;
  return Sha256::parse(text);
}

std::string unfinishedObjectFile(std::uint64_t number) { return numbered(number, {}); }
std::optional<std::uint64_t> unfinishedObjectNumber(std::string_view name) {
  return numberOf(name, {});
}

bool isSnapshotName(std::string_view name) {
  constexpr std::size_t kSizeMax = 128;
  const auto isPart = [](char one) {
    return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') || (one >= '0' && one <= '9') ||
           one == '_' || one == '-' || one == '.';
  };
  if (name.empty() || name.size() > kSizeMax || !std::ranges::all_of(name, isPart)) return false;
  // The name of an unfinished file is not allowed either.
  return name.front() != '.' && name.front() != '-' && !name.ends_with(kTemporarySuffix);
}

std::string join(std::string_view directory, std::string_view name) {
  std::string path(directory);
  if (!path.empty() && path.back() != '/') path += '/';
  path += name;
  return path;
}

}  // namespace seriesdb::file_names
