#include "maintenance/bucket/sweep.h"

#include <algorithm>
#include <utility>

#include "bucket/bucket_files.h"
#include "bucket/refs_parts.h"
#include "maintenance/inspect/refs_reading.h"

namespace seriesdb {
namespace {

// The first entry is a claim with a state of its own; every other claim repeats a state.
bool isBackupEntry(const SpineEntry& entry) {
  return entry.kind == EntryKind::kPublication || entry.number == 1;
}

bool isDamagedEntry(const Status& failure) { return failure.code() == StatusCode::kStorageCorrupt; }

}  // namespace

Result<std::vector<std::string>> BucketSweep::chooseKeys(std::unordered_set<Sha256> hashes) const {
  NamedObjects named;
  named.byEntry = std::move(hashes);
  auto keys = keysToSweep(listing, known, named);
  // Mostly nothing goes, and then the earlier backups need not be read.
  if (!keys.ok() || keys.value().empty() || keep <= 1) return keys;
  const Status added = addKept(named);
  // What it needs is not known, so everything stays.
  if (isDamagedEntry(added)) return std::vector<std::string>();
  if (!added.ok()) return added;
  return keysToSweep(listing, known, named);
}

Status BucketSweep::addKept(NamedObjects& named) const {
  Spine spine(session, known.entry().link.database);
  std::size_t left = keep - 1;
  for (std::uint64_t number = known.entry().number - 1; number > 0 && left > 0; --number) {
    const auto found = spine.read(number);
    if (!found.ok()) return found.status();
    if (!found.value() || !isBackupEntry(found.value()->entry)) continue;
    --left;
    if (Status added = addNamed(found.value()->entry, named); !added.ok()) return added;
  }
  return {};
}

Status BucketSweep::addNamed(const SpineEntry& entry, NamedObjects& named) const {
  for (const RefsPart& part : entry.parts) named.byState.insert(part.hash);
  auto bytes = refsOf(entry);
  if (!bytes.ok()) return bytes.status();
  BucketFiles files(session, {"bucket", {}, std::move(bytes).value(), {}});
  const auto reading = readRefs(files, files.directory());
  if (!reading.ok()) return reading.status();
  for (const NamedState& one : reading.value().states) {
    for (const SegmentFacts& facts : one.state.segments) {
      if (facts.hash) named.byState.insert(*facts.hash);
    }
  }
  return {};
}

// Without requests if the entry's REFS is the beginning of ours.
Result<ByteBuffer> BucketSweep::refsOf(const SpineEntry& entry) const {
  const std::vector<RefsPart>& ours = known.entry().parts;
  const bool isOurs = entry.parts.size() <= ours.size() &&
                      std::equal(entry.parts.begin(), entry.parts.end(), ours.begin());
  if (!isOurs) return readRefsParts(session, entry.parts);
  const Bytes bytes = refs.first(static_cast<std::size_t>(entry.refsSize()));
  return ByteBuffer(bytes.begin(), bytes.end());
}

}  // namespace seriesdb
