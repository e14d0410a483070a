// The objects of a bucket's two chains, and parts of REFS. Whoever may write to the bucket chooses
// their bytes. Also BUCKET, the file of a directory.
#include <algorithm>

#include "bucket/entry.h"
#include "bucket/entry_fixture.h"
#include "bucket/group.h"
#include "bucket/group_fixture.h"
#include "bucket/refs_parts.h"
#include "common/base/check.h"
#include "common/digest/checksum.h"
#include "log_bytes.h"
#include "bucket/bucket_file.h"
#include "target.h"

using namespace seriesdb;
using namespace seriesdb::fuzz;

namespace {

// Where both have the database's id and, behind it, the place.
constexpr std::size_t kIdOffset = 8;
constexpr std::size_t kFirstOffset = 24;
constexpr std::size_t kSecondOffset = 32;
// The checksum of a group; that of an entry stands at its end.
constexpr std::size_t kGroupCrc = 112;
constexpr std::size_t kGroupPacked = kGroupCrc + 4;

DatabaseId idOf(Bytes input) {
  DatabaseId id{};
  if (input.size() >= kIdOffset + id.size()) {
    std::ranges::copy(input.subspan(kIdOffset, id.size()), id.begin());
  }
  return id;
}
std::uint64_t numberAt(Bytes input, std::size_t at) {
  return input.size() < at + 8 ? 0 : loadLe<std::uint64_t>(input.data() + at);
}

std::vector<ByteBuffer> makeEntries(Random& random) {
  std::vector<ByteBuffer> entries = {encodeEntry(test::firstEntry()).value()};
  for (std::size_t count = 0; count < 12; ++count) {
    SpineEntry entry = test::randomEntry(random);
    // Small ones, and some with long lists.
    if (count % 4 != 0) {
      entry.parts.resize(1);
      entry.node.resize(1);
      entry.address.resize(std::min<std::size_t>(entry.address.size(), 3));
    }
    entries.push_back(encodeEntry(entry).value());
  }
  return entries;
}

bool readEntry(Bytes input) {
  const auto entry = decodeEntry(input, {idOf(input), numberAt(input, kFirstOffset)});
  if (!entry.ok()) {
    CHECK(isRefusal(entry.status()));
    return false;
  }
  const auto written = encodeEntry(entry.value());
  CHECK(written.ok() && std::ranges::equal(written.value(), input));
  CHECK(entry.value().refsSize() <= kRefsSizeMax && entry.value().firstEndedEpoch() >= 1);
  return true;
}

void repairEntry(ByteBuffer& input) {
  if (input.size() < 4) return;
  const std::size_t covered = input.size() - 4;
  storeLe(input.data() + covered, crc32c(Bytes(input).first(covered)));
}

std::vector<ByteBuffer> makeGroups(Random& random) {
  std::vector<ByteBuffer> groups = {encodeGroup(test::emptyGroup()).value(),
                                    encodeGroup(test::sealGroup()).value()};
  for (std::size_t count = 0; count < 10; ++count) {
    groups.push_back(encodeGroup(test::randomGroup(random, 4)).value());
  }
  return groups;
}

bool readGroup(Bytes input) {
  const ExpectedGroup expected{idOf(input),
                               {numberAt(input, kFirstOffset), numberAt(input, kSecondOffset)}};
  const auto group = decodeGroup(input, expected);
  if (!group.ok()) {
    CHECK(isRefusal(group.status()));
    return false;
  }
  const auto written = encodeGroup(group.value());
  CHECK(written.ok());
  const auto again = decodeGroup(written.value(), expected);
  CHECK(again.ok() && again.value() == group.value());
  return true;
}

void repairGroup(ByteBuffer& input) {
  if (input.size() < kGroupPacked) return;
  const std::uint32_t header = crc32c(Bytes(input).first(kGroupCrc));
  storeLe(input.data() + kGroupCrc, crc32c(Bytes(input).subspan(kGroupPacked), header));
}

std::vector<ByteBuffer> makeParts(Random& random) {
  std::vector<ByteBuffer> parts;
  for (const std::size_t size : {1, 20, 300}) {
    ByteBuffer bytes(size);
    std::ranges::generate(bytes, [&] { return static_cast<std::uint8_t>(random()); });
    parts.push_back(encodeRefsPart({7}, bytes).value());
  }
  return parts;
}

// The entry names whatever is there.
bool readPart(Bytes input) {
  const std::size_t size = std::max(input.size(), kRefsPartHeaderSize) - kRefsPartHeaderSize;
  const RefsPart expected{size, sha256(input)};
  const auto bytes = decodeRefsPart(input, expected);
  CHECK(!decodeRefsPart(input, {size + 1, expected.hash}).ok());
  CHECK(!decodeRefsPart(input, {size, Sha256()}).ok());
  if (!bytes.ok()) {
    CHECK(isRefusal(bytes.status()));
    return false;
  }
  ProcessNonce nonce;
  std::ranges::copy(input.subspan(kRefsPartHeaderSize - nonce.size(), nonce.size()), nonce.begin());
  const auto written = encodeRefsPart(nonce, bytes.value());
  CHECK(written.ok() && std::ranges::equal(written.value(), input));
  return true;
}

std::vector<ByteBuffer> makeFiles(Random& random) {
  std::vector<ByteBuffer> files;
  for (const std::size_t count : {0, 1, 3, 64}) {
    BucketFile file;
    file.state = count == 1 ? BucketState::kFetching : BucketState::kWhole;
    file.nonces.resize(count);
    std::ranges::generate(file.database, [&] { return static_cast<std::uint8_t>(random()); });
    files.push_back(encodeBucketFile(file).value());
  }
  return files;
}

bool readFile(Bytes input) {
  const auto file = decodeBucketFile(input, "BUCKET");
  if (!file.ok()) {
    CHECK(isRefusal(file.status()));
    return false;
  }
  const auto written = encodeBucketFile(file.value());
  CHECK(written.ok() && std::ranges::equal(written.value(), input));
  return true;
}

const Registration entries{{
    .name = "bucket_entry",
    .sentence = "an entry of the spine is refused, or has the bytes that are written for it",
    .read = &readEntry,
    .seeds = &makeEntries,
    .repair = &repairEntry,
}};

const Registration groups{{
    .name = "bucket_group",
    .sentence = "a group of the log is refused, or comes back as it was read",
    .read = &readGroup,
    .seeds = &makeGroups,
    .repair = &repairGroup,
}};

const Registration files{{
    .name = "bucket_file",
    .sentence = "BUCKET is refused, or has the bytes that are written for it",
    .read = &readFile,
    .seeds = &makeFiles,
    .repair = &repairEntry,
}};

const Registration parts{{
    .name = "bucket_part",
    .sentence = "a part of REFS is refused, or has the bytes that are written for it",
    .read = &readPart,
    .seeds = &makeParts,
    .repair = nullptr,
}};

}  // namespace
