#include "bucket/bucket_files.h"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include "bucket/layout.h"
#include "common/base/lock_order.h"
#include "common/types/file_names.h"

namespace seriesdb {
namespace {

constexpr std::uint64_t kBlockBytes = std::uint64_t{4} << 20;
constexpr std::size_t kHeldBlocksMax = 8;

Status notThere(const std::string& path) { return Status::io(path + " is not in the bucket"); }

std::string segmentKey(const Sha256& hash) {
  return BucketLayout(DatabaseId{}).keyOf(SegmentPlace{hash});
}

// The hash of a segment with this key.
std::optional<Sha256> segmentHashIn(std::string_view key) {
  const auto place = BucketLayout(DatabaseId{}).placeOf(key);
  const auto* segment = place ? std::get_if<SegmentPlace>(&*place) : nullptr;
  return segment == nullptr ? std::nullopt : std::optional(segment->hash);
}

// Bytes that another object owns.
class LentFile final : public ReadableFile {
 public:
  explicit LentFile(Bytes bytes) : bytes_(bytes) {}

  std::uint64_t size() const override { return bytes_.size(); }
  Bytes mapped() const override { return bytes_; }
  bool isMappingLost() const override { return false; }
  Status read(std::uint64_t offset, std::span<std::uint8_t> to) const override {
    const bool isIn = offset <= bytes_.size() && to.size() <= bytes_.size() - offset;
    if (!isIn) return Status::corrupt("the file ends before");
    std::ranges::copy(bytes_.subspan(static_cast<std::size_t>(offset), to.size()), to.begin());
    return {};
  }

 private:
  const Bytes bytes_;
};

}  // namespace

// The blocks that were read last.
class BucketFiles::Blocks {
 public:
  // Readers share a block, and one may drop it while another copies from it.
  using Block = std::shared_ptr<const ByteBuffer>;
  struct Place {
    std::string key;
    std::uint64_t number = 0;
    bool operator==(const Place&) const = default;
  };

  explicit Blocks(StoreSession& session) : session_(session) {}

  // A block of an object of so many bytes.
  Result<Block> blockOf(const Place& place, std::uint64_t objectBytes) {
    if (Block held = heldAt(place)) return held;
    // Without the lock, so a second reader may fetch the same block.
    const std::uint64_t first = place.number * kBlockBytes;
    const StoreRange range{first, std::min(kBlockBytes, objectBytes - first)};
    auto bytes = session_.get(place.key, range);
    if (!bytes.ok()) return bytes.status();
    if (!bytes.value()) return Status::io("it is not in the bucket any more");
    if (bytes.value()->size() != range.size) return Status::corrupt("it is shorter than listed");
    auto block = std::make_shared<const ByteBuffer>(std::move(*bytes.value()));
    const std::lock_guard lock(mutex_);
    held_.emplace_front(place, block);
    if (held_.size() > kHeldBlocksMax) held_.pop_back();
    return Block(std::move(block));
  }

 private:
  // Null if it is not held; else it is the newest from then on.
  Block heldAt(const Place& place) {
    const std::lock_guard lock(mutex_);
    const auto found =
        std::ranges::find(held_, place, [](const auto& one) -> const Place& { return one.first; });
    if (found == held_.end()) return nullptr;
    std::rotate(held_.begin(), found, found + 1);
    return held_.front().second;
  }

  StoreSession& session_;
  OrderedMutex<LockRank::kStoreBlocks> mutex_;  // Guards held_.
  std::deque<std::pair<Place, Block>> held_;    // The newest first.
};

namespace {

// An object that is read by blocks.
template <typename Blocks>
class StoredObject final : public ReadableFile {
 public:
  StoredObject(Blocks& blocks, std::string key, std::uint64_t size)
      : blocks_(blocks), key_(std::move(key)), size_(size) {}

  std::uint64_t size() const override { return size_; }
  Bytes mapped() const override { return {}; }
  bool isMappingLost() const override { return false; }
  Status read(std::uint64_t offset, std::span<std::uint8_t> to) const override {
    const bool isIn = offset <= size_ && to.size() <= size_ - offset;
    if (!isIn) return Status::corrupt("the file ends before");
    while (!to.empty()) {
      const auto block = blocks_.blockOf({key_, offset / kBlockBytes}, size_);
      if (!block.ok()) return block.status();
      const Bytes bytes =
          Bytes(*block.value()).subspan(static_cast<std::size_t>(offset % kBlockBytes));
      const std::size_t size = std::min(bytes.size(), to.size());
      std::ranges::copy(bytes.first(size), to.begin());
      offset += size;
      to = to.subspan(size);
    }
    return {};
  }

 private:
  Blocks& blocks_;
  const std::string key_;
  const std::uint64_t size_;
};

// Without the slashes at its end, so that names below it begin alike.
BucketFiles::Content withoutSlash(BucketFiles::Content content) {
  while (content.directory.ends_with('/')) content.directory.pop_back();
  return content;
}

}  // namespace

BucketObjects bucketObjectsIn(const std::vector<ListedObject>& listed) {
  BucketObjects objects;
  for (const ListedObject& one : listed) {
    if (const auto hash = segmentHashIn(one.key)) objects[*hash] = one.sizeBytes;
  }
  return objects;
}

BucketFiles::BucketFiles(StoreSession& session, Content content)
    : session_(session),
      content_(withoutSlash(std::move(content))),
      blocks_(std::make_unique<Blocks>(session)) {}

BucketFiles::~BucketFiles() = default;

bool BucketFiles::isDirectory(const std::string& path) const {
  return path == content_.directory || path == content_.directory + "/";
}

std::string BucketFiles::nameIn(const std::string& path) const {
  const std::string before = content_.directory + "/";
  return path.starts_with(before) ? path.substr(before.size()) : "";
}

// The failure for an object that was not listed. A listing may be stale, so the object is asked.
Status BucketFiles::checkGone(const Sha256& hash, const std::string& path) {
  const auto byte = session_.get(segmentKey(hash), StoreRange{0, 1});
  if (!byte.ok()) return byte.status();
  if (!byte.value()) return notThere(path);
  return {StatusCode::kStorageUnavailable, path + " is in the bucket, but not listed yet"};
}

Result<std::unique_ptr<ReadableFile>> BucketFiles::openRead(const std::string& path) {
  using File = std::unique_ptr<ReadableFile>;
  const std::string name = nameIn(path);
  if (name == file_names::kRoot) return File(std::make_unique<LentFile>(content_.root));
  if (name == file_names::kRefs) return File(std::make_unique<LentFile>(content_.refs));
  const auto hash = segmentHashIn(name);
  if (!hash) return notThere(path);
  const auto found = content_.objects.find(*hash);
  if (found == content_.objects.end()) return checkGone(*hash, path);
  return File(
      std::make_unique<StoredObject<Blocks>>(*blocks_, segmentKey(*hash), found->second));
}

Result<ByteBuffer> BucketFiles::readAll(const std::string& path) {
  const auto file = openRead(path);
  if (!file.ok()) return file.status();
  ByteBuffer bytes;
  const Status read = visitPieces(*file.value(), [&bytes](Bytes piece) {
    appendBytes(bytes, piece);
    return Status();
  });
  if (!read.ok()) return Status(read.code(), path + ": " + read.message());
  return bytes;
}

Result<bool> BucketFiles::exists(const std::string& path) {
  if (isDirectory(path)) return true;
  const std::string name = nameIn(path);
  if (name == file_names::kRoot || name == file_names::kRefs) return true;
  if (name == file_names::kObjectDirectory) return !content_.objects.empty();
  const auto hash = segmentHashIn(name);
  if (!hash) return false;
  if (content_.objects.contains(*hash)) return true;
  const Status gone = checkGone(*hash, path);
  if (gone.code() == StatusCode::kIo) return false;
  return gone;
}

Result<std::vector<std::string>> BucketFiles::list(const std::string& directory) {
  std::set<std::string> names;
  const std::string name = nameIn(directory);
  const std::string objects(file_names::kObjectDirectory);
  if (isDirectory(directory)) {
    names = {std::string(file_names::kRefs), std::string(file_names::kRoot)};
    if (!content_.objects.empty()) names.insert(objects);
  }
  for (const auto& [hash, size] : content_.objects) {
    const std::string folder = file_names::objectFolder(hash);
    if (name == objects) names.insert(folder);
    if (name == file_names::join(objects, folder)) names.insert(file_names::objectFile(hash));
  }
  if (names.empty()) return notThere(directory);
  return std::vector<std::string>(names.begin(), names.end());
}

Result<std::unique_ptr<DirectoryLock>> BucketFiles::lock(const std::string&) { return noLock(); }

Result<std::uint64_t> BucketFiles::freeBytes(const std::string&) { return std::uint64_t{0}; }

}  // namespace seriesdb
