#include "format/objects/tree_node.h"

#include <algorithm>
#include <string_view>

#include "common/base/later_program.h"

namespace seriesdb {
namespace {

constexpr std::string_view kRootMagic = "sdbr\1";
constexpr std::string_view kNodeMagic = "sdbt\1";
constexpr std::uint64_t kFan = std::uint64_t{1} << kTreeLevelBits;
constexpr std::uint64_t kEntrySizeMin = 2;

void appendHash(ByteBuffer& out, const Sha256& hash) { appendBytes(out, hash.bytes); }

// Only the shortest varints are valid, so that equal content has one encoding and one hash.
bool isCanonical(Bytes bytes, const ByteBuffer& written) {
  return std::equal(bytes.begin(), bytes.end(), written.begin(), written.end());
}

Status badNode(const char* what) { return Status::corrupt(std::string("a malformed ") + what); }

TreeSection readSection(ByteReader& reader) {
  TreeSection one;
  one.section = reader.readLe<std::uint8_t>();
  one.height = reader.readLe<std::uint8_t>();
  one.top = readSha256(reader);
  return one;
}

}  // namespace

void appendTreeRoot(ByteBuffer& out, const std::vector<TreeSection>& sections) {
  appendBytes(out, asBytes(kRootMagic));
  appendVarint(out, sections.size());
  for (const TreeSection& one : sections) {
    out.push_back(one.section);
    out.push_back(one.height);
    appendHash(out, one.top);
  }
}

void appendTreeNode(ByteBuffer& out, std::uint8_t level, const std::vector<TreeChild>& children) {
  appendBytes(out, asBytes(kNodeMagic));
  out.push_back(level);
  appendVarint(out, children.size());
  for (const TreeChild& one : children) {
    out.push_back(one.place);
    appendHash(out, one.node);
  }
}

void appendTreeLeaf(ByteBuffer& out, const LeafEntries& entries) {
  appendBytes(out, asBytes(kNodeMagic));
  out.push_back(0);
  appendVarint(out, entries.size());
  for (const auto& [key, value] : entries) {
    appendText(out, key);
    appendText(out, value);
  }
}

Result<std::vector<TreeSection>> parseTreeRoot(Bytes bytes) {
  if (Status version = checkObjectVersion(bytes, kRootMagic); !version.ok()) return version;
  ByteReader reader(bytes);
  const bool isRoot = asText(reader.readBytes(kRootMagic.size())) == kRootMagic;
  const std::uint64_t count = reader.readVarint();
  if (!isRoot || !reader.ok() || count > reader.rest().size()) return badNode("root of a tree");
  std::vector<TreeSection> sections;
  for (std::uint64_t i = 0; i < count; ++i) {
    const TreeSection one = readSection(reader);
    const bool isNext = sections.empty() || sections.back().section < one.section;
    if (!isNext || one.height > kTreeHeightMax) return badNode("root of a tree");
    sections.push_back(one);
  }
  ByteBuffer written;
  appendTreeRoot(written, sections);
  if (!reader.ok() || !isCanonical(bytes, written)) return badNode("root of a tree");
  return sections;
}

Result<std::vector<TreeChild>> parseTreeNode(Bytes bytes, std::uint8_t level) {
  if (Status version = checkObjectVersion(bytes, kNodeMagic); !version.ok()) return version;
  ByteReader reader(bytes);
  const bool isNode = asText(reader.readBytes(kNodeMagic.size())) == kNodeMagic;
  const auto found = reader.readLe<std::uint8_t>();
  const std::uint64_t count = reader.readVarint();
  if (!isNode || !reader.ok() || found != level || level == 0 || count == 0 || count > kFan) {
    return badNode("node of a tree");
  }
  std::vector<TreeChild> children;
  for (std::uint64_t i = 0; i < count; ++i) {
    TreeChild one;
    one.place = reader.readLe<std::uint8_t>();
    one.node = readSha256(reader);
    const bool isNext = children.empty() || children.back().place < one.place;
    if (!isNext || one.place >= kFan) return badNode("node of a tree");
    children.push_back(one);
  }
  ByteBuffer written;
  appendTreeNode(written, level, children);
  if (!reader.ok() || !isCanonical(bytes, written)) return badNode("node of a tree");
  return children;
}

Result<LeafViews> viewTreeLeaf(Bytes bytes) {
  if (Status version = checkObjectVersion(bytes, kNodeMagic); !version.ok()) return version;
  ByteReader reader(bytes);
  const bool isNode = asText(reader.readBytes(kNodeMagic.size())) == kNodeMagic;
  const auto level = reader.readLe<std::uint8_t>();
  const std::uint64_t count = reader.readVarint();
  if (!isNode || !reader.ok() || level != 0 || count == 0 ||
      count > reader.rest().size() / kEntrySizeMin) {
    return badNode("leaf of a tree");
  }
  LeafViews entries;
  entries.reserve(static_cast<std::size_t>(count));
  std::size_t written = kNodeMagic.size() + 1 + varintSize(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string_view key = reader.readText();
    const std::string_view value = reader.readText();
    if (!reader.ok() || (!entries.empty() && entries.back().first >= key)) {
      return badNode("leaf of a tree");
    }
    entries.emplace_back(key, value);
    written += varintSize(key.size()) + key.size() + varintSize(value.size()) + value.size();
  }
  // Some varint is longer than needed, or bytes follow the entries.
  if (written != bytes.size()) return badNode("leaf of a tree");
  return entries;
}

Result<LeafEntries> parseTreeLeaf(Bytes bytes) {
  const auto views = viewTreeLeaf(bytes);
  if (!views.ok()) return views.status();
  LeafEntries entries;
  for (const auto& [key, value] : views.value()) entries.emplace_hint(entries.end(), key, value);
  return entries;
}

}  // namespace seriesdb
