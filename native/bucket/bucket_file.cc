#include "bucket/bucket_file.h"

#include <string_view>
#include <utility>

#include "common/digest/checksum.h"
#include "common/types/file_names.h"

namespace seriesdb {
namespace {

constexpr std::string_view kBucketFileMagic = "sdbb";
constexpr std::size_t kBucketFileCrcSize = 4;

Result<BucketFile> readBucketBytes(Bytes bytes) {
  if (Status start = chain_link::checkStart(bytes, kBucketFileMagic); !start.ok()) return start;
  if (bytes.size() < kBucketFileCrcSize) return Status::corrupt("it is cut short");
  const Bytes covered = bytes.first(bytes.size() - kBucketFileCrcSize);
  if (crc32c(covered) != loadLe<std::uint32_t>(bytes.last(kBucketFileCrcSize).data())) {
    return Status::corrupt("its checksum does not match");
  }
  if (covered.size() <= chain_link::kMagicSize) return Status::corrupt("it is cut short");
  ByteReader reader(covered.subspan(chain_link::kMagicSize + 1));
  const auto state = reader.readLe<std::uint8_t>();
  if (reader.ok() && (state < 1 || state > kBucketStateMax)) {
    const std::string name = "state " + std::to_string(state);
    return state > kBucketStateMax ? laterProgram(name) : Status::corrupt("unknown " + name);
  }
  BucketFile file;
  file.state = BucketState{state};
  const bool isZero = reader.readLe<std::uint16_t>() == 0;
  file.database = chain_link::readArray<16>(reader);
  const auto count = reader.readLe<std::uint32_t>();
  const bool isWhole = reader.ok() && isZero && count <= kBucketNoncesMax &&
                       reader.rest().size() == count * sizeof(ProcessNonce);
  if (!isWhole) return Status::corrupt("malformed");
  while (!reader.atEnd()) file.nonces.push_back(chain_link::readArray<16>(reader));
  return file;
}

}  // namespace

Result<ByteBuffer> encodeBucketFile(const BucketFile& file) {
  if (file.nonces.size() > kBucketNoncesMax) {
    return Status::invalid(std::to_string(file.nonces.size()) + " nonces are too many for BUCKET");
  }
  ByteBuffer out;
  chain_link::appendStart(out, kBucketFileMagic, static_cast<std::uint8_t>(file.state));
  appendBytes(out, file.database);
  appendLe(out, static_cast<std::uint32_t>(file.nonces.size()));
  for (const ProcessNonce& nonce : file.nonces) appendBytes(out, nonce);
  appendLe(out, crc32c(out));
  return out;
}

Result<BucketFile> decodeBucketFile(Bytes bytes, const std::string& path) {
  Result<BucketFile> read = readBucketBytes(bytes);
  if (read.ok()) return read;
  return chain_link::named(path, read.status());
}

Result<std::optional<BucketFile>> readBucketFile(FileSystem& fs, const std::string& directory) {
  const std::string path = file_names::join(directory, file_names::kBucket);
  const auto exists = fs.exists(path);
  if (!exists.ok()) return exists.status();
  if (!exists.value()) return std::optional<BucketFile>();
  const auto bytes = fs.readAll(path);
  if (!bytes.ok()) return bytes.status();
  Result<BucketFile> file = decodeBucketFile(bytes.value(), path);
  if (!file.ok()) return file.status();
  return std::optional(std::move(file).value());
}

Status writeBucketFile(FileSystem& fs, const std::string& directory, const BucketFile& file) {
  const auto bytes = encodeBucketFile(file);
  if (!bytes.ok()) return bytes.status();
  return replaceFile(fs, directory, std::string(file_names::kBucket), bytes.value());
}

Status removeBucketFile(FileSystem& fs, const std::string& directory) {
  const std::string path = file_names::join(directory, file_names::kBucket);
  const auto exists = fs.exists(path);
  if (!exists.ok() || !exists.value()) return exists.status();
  Status removed = fs.remove(path);
  return removed.ok() ? fs.syncDirectory(directory) : removed;
}

}  // namespace seriesdb
