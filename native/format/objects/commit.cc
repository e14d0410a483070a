#include "format/objects/commit.h"

#include <algorithm>
#include <string_view>

#include "common/base/later_program.h"
#include "format/log/log_file.h"

namespace seriesdb {
namespace {

constexpr std::string_view kCommitMagic = "sdbc\1";

}  // namespace

void appendCommit(ByteBuffer& out, const Commit& commit) {
  appendBytes(out, asBytes(kCommitMagic));
  appendBytes(out, commit.root.bytes);
  out.push_back(commit.parent ? 1 : 0);
  if (commit.parent) appendBytes(out, commit.parent->bytes);
  appendVarint(out, commit.edit);
  appendVarint(out, zigzag(commit.timeMs));
  out.push_back(static_cast<std::uint8_t>(commit.reason));
  appendVarint(out, commit.walFloor);
  appendVarint(out, commit.walEnd);
}

Result<Commit> parseCommit(Bytes bytes) {
  const Status malformed = Status::corrupt("a malformed commit");
  if (Status version = checkObjectVersion(bytes, kCommitMagic); !version.ok()) return version;
  ByteReader reader(bytes);
  if (asText(reader.readBytes(kCommitMagic.size())) != kCommitMagic) return malformed;
  Commit commit;
  commit.root = readSha256(reader);
  const auto parents = reader.readLe<std::uint8_t>();
  if (parents > 1) return malformed;
  if (parents == 1) commit.parent = readSha256(reader);
  commit.edit = reader.readVarint();
  commit.timeMs = unzigzag(reader.readVarint());
  const auto reason = reader.readLe<std::uint8_t>();
  commit.walFloor = reader.readVarint();
  commit.walEnd = reader.readVarint();
  if (!reader.ok() || reason == 0 || reason > kCommitReasonMax) return malformed;
  commit.reason = CommitReason{reason};
  const std::uint64_t highest = std::max(commit.edit, commit.walEnd);
  if (commit.edit == 0 || highest > kSequenceMax || commit.walFloor > commit.walEnd) {
    return malformed;
  }
  ByteBuffer written;
  appendCommit(written, commit);
  const bool isSame = std::equal(bytes.begin(), bytes.end(), written.begin(), written.end());
  if (!isSame) return malformed;
  return commit;
}

}  // namespace seriesdb
