#include "engine/root_file.h"

#include "base/checksum.h"
#include "model/file_names.h"

namespace seriesdb {
namespace {
constexpr std::string_view kMagic = "seriesdb";
constexpr std::uint32_t kVersion = 1;
}  // namespace

Status writeRoot(FileSystem& fs, const std::string& directory, TimestampUnit unit) {
  ByteBuffer bytes;
  appendBytes(bytes, asBytes(kMagic));
  appendLe(bytes, kVersion);
  appendLe(bytes, static_cast<std::uint8_t>(unit));
  appendLe(bytes, crc32c(bytes));
  return replaceFile(fs, directory, std::string(file_names::kRoot), bytes);
}

Result<TimestampUnit> readRoot(FileSystem& fs, const std::string& directory) {
  const std::string path = file_names::join(directory, file_names::kRoot);
  const auto bytes = fs.readAll(path);
  if (!bytes.ok()) return bytes.status();
  ByteReader in(bytes.value());
  const bool isOurs = asText(in.readBytes(kMagic.size())) == kMagic;
  const auto version = in.readLe<std::uint32_t>();
  const auto unit = in.readLe<std::uint8_t>();
  const auto crc = in.readLe<std::uint32_t>();
  if (!isOurs || !in.ok() || !in.atEnd())
    return Status::corrupt(path + " is not a seriesdb root file");
  const Bytes covered = Bytes(bytes.value()).first(bytes.value().size() - sizeof crc);
  if (crc32c(covered) != crc) return Status::corrupt(path + ": the checksum does not match");
  if (version != kVersion) {
    return Status::corrupt(path + ": format version " + std::to_string(version) +
                           " is not one this program reads");
  }
  if (unit > static_cast<std::uint8_t>(TimestampUnit::kNanoseconds)) {
    return Status::corrupt(path + ": unknown timestamp unit");
  }
  return static_cast<TimestampUnit>(unit);
}

}  // namespace seriesdb
