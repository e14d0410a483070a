#include "storage/ledger/root_file.h"

#include <algorithm>

#include "common/digest/checksum.h"
#include "common/digest/hash.h"
#include "common/types/file_names.h"

namespace seriesdb {
namespace {

constexpr std::string_view kMagic = "seriesdb";
// The first version, without an id and features.
constexpr std::uint32_t kBareVersion = 1;
constexpr std::uint32_t kRootVersion = 2;
constexpr std::size_t kRootChecksumSize = 4;

Status unknownFeature(const std::string& path, const char* what, std::uint32_t features) {
  return Status::corrupt(path + " was written by a newer seriesdb: it takes unknown features " +
                         what + ": " + std::to_string(features));
}

}  // namespace

DatabaseId makeDatabaseId() {
  DatabaseId id;
  for (std::size_t half = 0; half < 2; ++half) {
    const std::uint64_t bits = randomSeed();
    for (std::size_t i = 0; i < 8; ++i) {
      id[half * 8 + i] = static_cast<std::uint8_t>(bits >> (8 * i));
    }
  }
  return id;
}

std::string textOf(const DatabaseId& id) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t one : id) {
    text.push_back(kDigits[one >> 4]);
    text.push_back(kDigits[one & 15]);
  }
  return text;
}

ByteBuffer encodeRoot(const RootFacts& facts) {
  CHECK(facts.id.has_value());
  ByteBuffer bytes;
  appendBytes(bytes, asBytes(kMagic));
  appendLe(bytes, kRootVersion);
  appendLe(bytes, static_cast<std::uint8_t>(facts.unit));
  appendBytes(bytes, *facts.id);
  appendLe(bytes, facts.toRead | kRootWritten);
  appendLe(bytes, facts.toWrite);
  appendLe(bytes, crc32c(bytes));
  return bytes;
}

Status writeRoot(FileSystem& fs, const std::string& directory, const RootFacts& facts) {
  return replaceFile(fs, directory, std::string(file_names::kRoot), encodeRoot(facts));
}

Result<RootFacts> readRoot(FileSystem& fs, const std::string& directory) {
  const std::string path = file_names::join(directory, file_names::kRoot);
  const auto bytes = fs.readAll(path);
  return bytes.ok() ? parseRoot(bytes.value(), path) : bytes.status();
}

Result<RootFacts> parseRoot(Bytes all, const std::string& path) {
  ByteReader in(all);
  const bool isOurs = asText(in.readBytes(kMagic.size())) == kMagic;
  const auto version = in.readLe<std::uint32_t>();
  const auto unit = in.readLe<std::uint8_t>();
  const bool isLong = in.rest().size() >= kRootChecksumSize;
  if (!isOurs || !isLong) return Status::corrupt(path + " is not a seriesdb root file");
  const Bytes covered = all.first(all.size() - kRootChecksumSize);
  if (crc32c(covered) != loadLe<std::uint32_t>(all.last(kRootChecksumSize).data())) {
    return Status::corrupt(path + ": the checksum does not match");
  }
  if (version != kBareVersion && version != kRootVersion) {
    const char* what = version > kRootVersion ? " was written by a newer seriesdb" : " is unknown";
    return Status::corrupt(path + ": format version " + std::to_string(version) + what +
                           "; this one reads version " + std::to_string(kRootVersion));
  }
  RootFacts facts;
  if (version == kRootVersion) {
    DatabaseId& id = facts.id.emplace();
    const Bytes idBytes = in.readBytes(id.size());
    std::copy(idBytes.begin(), idBytes.end(), id.begin());
    facts.toRead = in.readLe<std::uint32_t>();
    facts.toWrite = in.readLe<std::uint32_t>();
  }
  if (in.rest().size() != kRootChecksumSize) {
    return Status::corrupt(path + " is not a seriesdb root file");
  }
  if (unit > static_cast<std::uint8_t>(TimestampUnit::kNanoseconds)) {
    return Status::corrupt(path + ": unknown timestamp unit");
  }
  if ((facts.toRead & ~kRootKnownToRead) != 0) {
    return unknownFeature(path, "to read it", facts.toRead & ~kRootKnownToRead);
  }
  facts.unit = static_cast<TimestampUnit>(unit);
  return facts;
}

bool isLaterRoot(FileSystem& fs, const std::string& directory) {
  if (readRoot(fs, directory).ok()) return false;
  const auto bytes = fs.readAll(file_names::join(directory, file_names::kRoot));
  if (!bytes.ok() || bytes.value().size() < kMagic.size() + kRootChecksumSize) return false;
  const Bytes all(bytes.value());
  ByteReader in(all);
  if (asText(in.readBytes(kMagic.size())) != kMagic) return false;
  const Bytes covered = all.first(all.size() - kRootChecksumSize);
  return crc32c(covered) == loadLe<std::uint32_t>(all.last(kRootChecksumSize).data());
}

Status checkFeatures(const RootFacts& facts, const std::string& directory) {
  if ((facts.toWrite & ~kRootKnownToWrite) == 0) return {};
  return unknownFeature(file_names::join(directory, file_names::kRoot), "to write to it",
                        facts.toWrite & ~kRootKnownToWrite);
}

Status checkOpenable(const RootFacts& facts, const std::string& directory, bool isReadOnly) {
  if (facts.isUnfinished()) {
    const char* what = facts.isBackup() ? "a backup" : "a restore";
    return {StatusCode::kConfiguration,
            directory + ": " + what + " was interrupted here; run it again to finish it"};
  }
  if (isReadOnly) return {};
  if (facts.isBackup()) {
    return {StatusCode::kConfiguration,
            directory +
                " is a backup, which only \"seriesdb backup\" may change; restore it with " +
                "\"seriesdb restore\""};
  }
  return checkFeatures(facts, directory);
}

}  // namespace seriesdb
