// BUCKET: its layout, its damage, and its replacement.
#include "bucket/bucket_file.h"

#include <string>

#include "common/digest/checksum.h"
#include "common/types/file_names.h"
#include "faulty_file_system.h"
#include "harness.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

BucketFile smallBucketFile() {
  BucketFile file;
  file.state = BucketState::kFetching;
  file.database = {1, 2, 3};
  file.nonces = {{7}, {8, 9}};
  return file;
}

void repairBucketFile(ByteBuffer& bytes) {
  storeLe(bytes.data() + bytes.size() - 4, crc32c(Bytes(bytes).first(bytes.size() - 4)));
}

bool isBucketDamage(const Status& status) {
  return status.code() == StatusCode::kStorageCorrupt &&
         status.message().starts_with("DIR/BUCKET: ");
}

}  // namespace

TEST("BUCKET has the bytes of the format") {
  const std::string hex =
      "7364626201040000"                  // "sdbb", version 1, fetching
      "01020300000000000000000000000000"  // database id
      "02000000"                          // two nonces
      "07000000000000000000000000000000"
      "08090000000000000000000000000000"
      "cd27effe";
  const ByteBuffer bytes = encodeBucketFile(smallBucketFile()).value();
  std::string found;
  for (const std::uint8_t byte : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    found += digits;
  }
  EXPECT(found == hex);
  EXPECT(decodeBucketFile(bytes, "DIR/BUCKET").value() == smallBucketFile());
}

TEST("BUCKET lists up to 64 nonces, and its writer refuses more") {
  BucketFile file;
  for (std::size_t count = 0; count <= kBucketNoncesMax; ++count) {
    const auto bytes = encodeBucketFile(file);
    REQUIRE(bytes.ok());
    EXPECT(decodeBucketFile(bytes.value(), "DIR/BUCKET").value() == file);
    file.nonces.push_back({static_cast<std::uint8_t>(count)});
  }
  EXPECT(encodeBucketFile(file).status().code() == StatusCode::kInvalidArgument);
}

TEST("BUCKET that is cut or changed at any byte is damage, and a later version is not") {
  const ByteBuffer bytes = encodeBucketFile(smallBucketFile()).value();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    ByteBuffer cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
    EXPECT(isBucketDamage(decodeBucketFile(cut, "DIR/BUCKET").status()));
    if (cut.size() >= 9) {
      repairBucketFile(cut);
      EXPECT(isBucketDamage(decodeBucketFile(cut, "DIR/BUCKET").status()));
    }
    for (unsigned flip = 1; flip < 256; ++flip) {
      ByteBuffer flipped = bytes;
      flipped[at] = static_cast<std::uint8_t>(flipped[at] ^ flip);
      const Status status = decodeBucketFile(flipped, "DIR/BUCKET").status();
      const bool isLater = at == 4 && flipped[at] > 1;
      EXPECT(isLater ? status.code() == StatusCode::kConfiguration : isBucketDamage(status));
      repairBucketFile(flipped);
      const auto read = decodeBucketFile(flipped, "DIR/BUCKET");
      if (read.ok()) EXPECT(encodeBucketFile(read.value()).value() == flipped);
    }
  }
  ByteBuffer later = bytes;
  later[4] = 9;
  EXPECT(decodeBucketFile(later, "DIR/BUCKET").status().message() ==
         "DIR/BUCKET: version 9 was written by a newer seriesdb");
  later = bytes;
  later[5] = 5;
  repairBucketFile(later);
  EXPECT(decodeBucketFile(later, "DIR/BUCKET").status().message() ==
         "DIR/BUCKET: state 5 was written by a newer seriesdb");
}

TEST("BUCKET is replaced as a whole, read back, and removed") {
  FileSystem& fs = posixFileSystem();
  const std::string directory = temporaryDirectory();
  EXPECT(!readBucketFile(fs, directory).value().has_value());
  EXPECT(removeBucketFile(fs, directory).ok());
  BucketFile file = smallBucketFile();
  for (const BucketState state : {BucketState::kFirst, BucketState::kAside, BucketState::kFetching,
                                  BucketState::kWhole}) {
    file.state = state;
    REQUIRE(writeBucketFile(fs, directory, file).ok());
    EXPECT(readBucketFile(fs, directory).value() == file);
  }
  REQUIRE(removeBucketFile(fs, directory).ok());
  EXPECT(fs.list(directory).value().empty());
  auto half = fs.create(file_names::join(directory, file_names::kBucket));
  REQUIRE(half.ok() && half.value()->append(asBytes("sdbb\1")).ok());
  const Status damaged = readBucketFile(fs, directory).status();
  EXPECT(damaged.code() == StatusCode::kStorageCorrupt);
  EXPECT(damaged.message().starts_with(directory + "/BUCKET: "));
}

TEST("a power cut leaves the earlier BUCKET or the new one, and what was told as done is done") {
  BucketFile before = smallBucketFile();
  BucketFile after = before;
  after.nonces.push_back({10});
  for (const PowerLoss loss : {PowerLoss::kBytes, PowerLoss::kAll, PowerLoss::kSome}) {
    for (const bool isRemoval : {false, true}) {
      bool isMet = true;
      for (std::uint64_t nth = 1; isMet; ++nth) {
        const std::string directory = temporaryDirectory();
        REQUIRE(writeBucketFile(posixFileSystem(), directory, before).ok());
        FaultyFileSystem fs(posixFileSystem());
        fs.simulatePower(temporaryDirectory());
        fs.cutPowerAt(nth);
        const bool isDone = isRemoval ? removeBucketFile(fs, directory).ok()
                                      : writeBucketFile(fs, directory, after).ok();
        isMet = fs.isPowerCut();
        fs.heal();
        fs.losePower(loss, seed() + nth);
        const auto found = readBucketFile(posixFileSystem(), directory);
        REQUIRE(found.ok());
        const bool isAfter = isRemoval ? !found.value() : found.value() == after;
        EXPECT(isAfter || (!isDone && found.value() == before));
      }
    }
  }
}
