#include "format/objects/loose_tags.h"

#include <algorithm>
#include <utility>

#include "common/types/file_names.h"
#include "format/log/log_file.h"

namespace seriesdb {
namespace {

// Each tag file is the only file of its log.
constexpr std::uint64_t kTagFileNumber = 1;

Status takeRecord(const LogRecord& record, LooseTag& tag) {
  auto parsed = parseRefsRecord(record.type, record.payload);
  if (!parsed.ok()) return parsed.status();
  auto& [move, objects] = parsed.value();
  if (!move || !tag.move.ref.empty()) return Status::corrupt("unexpected records beside the tag");
  if (!move->ref.starts_with(kTagPrefix)) return Status::corrupt("a ref that is not a tag");
  tag.move = *std::move(move);
  for (const ObjectPlace& one : objects) {
    auto bytes = unpackObject(record.payload.subspan(one.offset, one.storedSize), one.size);
    if (!bytes.ok()) return bytes.status();
    tag.objects.push_back(makeObject(std::move(bytes).value()));
  }
  return {};
}

}  // namespace

TagObjects::TagObjects(const LooseTag& tag) : path_(tag.path) {
  for (const NewObject& one : tag.objects) byId_.emplace(one.id, &one.bytes);
}

Result<ByteBuffer> TagObjects::read(const Sha256& id) const {
  const auto found = byId_.find(id);
  if (found == byId_.end()) return Status::corrupt(path_ + " lacks object " + id.text());
  return *found->second;
}

// A missing folder means no tags.
Result<std::vector<std::string>> looseTagNames(FileSystem& fs, const std::string& directory) {
  const std::string folder = file_names::join(directory, file_names::kTagDirectory);
  const auto isThere = fs.exists(folder);
  if (!isThere.ok()) return isThere.status();
  if (!isThere.value()) return std::vector<std::string>();
  auto names = fs.list(folder);
  if (!names.ok()) return names;
  std::erase_if(names.value(),
                [](const std::string& name) { return name.ends_with(kTemporarySuffix); });
  std::sort(names.value().begin(), names.value().end());
  return names;
}

Result<LooseTag> readLooseTag(FileSystem& fs, const std::string& directory,
                              const std::string& name) {
  LooseTag tag;
  const LogPlace place{file_names::join(directory, file_names::kTagDirectory), name, LogKind::kRefs,
                       kTagFileNumber};
  tag.path = place.path();
  const auto take = [&tag](const LogRecord& record) { return takeRecord(record, tag); };
  const auto report = readLog(fs, place, take);
  if (!report.ok()) return report.status();
  if (tag.move.ref != kTagPrefix + name) {
    return Status::corrupt(tag.path + " does not hold the snapshot of its name");
  }
  return tag;
}

Result<std::vector<LooseTag>> readLooseTags(FileSystem& fs, const std::string& directory) {
  std::vector<LooseTag> tags;
  const auto names = looseTagNames(fs, directory);
  if (!names.ok()) return names.status();
  for (const std::string& name : names.value()) {
    auto tag = readLooseTag(fs, directory, name);
    if (!tag.ok()) return tag.status();
    tags.push_back(std::move(tag).value());
  }
  return tags;
}

}  // namespace seriesdb
