#include "format/segment/checked_file.h"

#include <utility>

#include "common/digest/checksum.h"
#include "format/segment/chunk_columns.h"

namespace seriesdb {
namespace {

using segment_format::damage;

Status compareFacts(const SegmentFacts& facts, const segment_format::ParsedFooter& parsed,
                    std::uint64_t at, const std::string& path) {
  const segment_format::Footer& footer = parsed.footer;
  if (parsed.crc != facts.fileCrc) {
    return damage(path, at, "the footer's checksum is not the manifest's");
  }
  const bool same = footer.sampleCount == facts.sampleCount &&
                    footer.chunkCount == facts.chunkCount &&
                    footer.seriesCount == facts.seriesCount && footer.tsMin == facts.tsMin &&
                    footer.tsMax == facts.tsMax && footer.sequenceMax == facts.sequenceMax;
  if (!same) return damage(path, at, "the footer's numbers are not the manifest's");
  return {};
}

// Parts of a file; each lies inside it.
struct FileParts {
  const ReadableFile& file;
  const std::string& path;

  // Calls use() with the mapped bytes, and again with a copy if the mapping was lost; the last
  // result counts. Unreadable bytes are damage, unless isUnread().
  template <typename Use>
  Status use(std::uint64_t offset, std::uint64_t size, Use use) const {
    const auto length = static_cast<std::size_t>(size);
    if (const Bytes mapped = file.mapped(); !mapped.empty()) {
      Status status = use(mapped.subspan(static_cast<std::size_t>(offset), length));
      if (!file.isMappingLost()) return status;
    }
    ByteBuffer copy(length);
    Status status = file.read(offset, copy);
    if (status.ok()) return use(copy);
    return isUnread(status) ? status : damage(path, offset, status.message());
  }
};

// Builds pages from the entries of a file of an older version that has none.
void makePages(std::span<const ChunkEntry> chunks, CheckedFile& checked) {
  PageDirectoryWriter writer;
  for (const ChunkEntry& chunk : chunks) writer.add(chunk, {});
  checked.fences = writer.finishInMemory(checked.pages);
  checked.pages.resize(checked.pages.size() + kPageSlack);
}

Status checkColumns(Bytes bytes, const std::string& path, CheckedFile& checked) {
  const segment_format::Footer& footer = checked.footer;
  if (crc32c(bytes) != footer.directoryCrc) {
    return damage(path, footer.directoryOffset, "the directory's checksum is wrong");
  }
  const auto chunks = decodeColumns(bytes, footer, path);
  if (chunks.ok()) makePages(chunks.value(), checked);
  return chunks.status();
}

// `bytes` continue behind the directory.
Status checkPages(Bytes bytes, const std::string& path, CheckedFile& checked) {
  const auto size = static_cast<std::size_t>(checked.footer.directorySize);
  auto fences = checkDirectory(bytes.first(size), checked.footer, path);
  if (fences.ok()) checked.fences = std::move(fences).value();
  return fences.status();
}

}  // namespace

Status checkFile(const ReadableFile& file, const SegmentFacts& facts, const std::string& path,
                 CheckedFile& checked) {
  using segment_format::kHeaderSize;
  const std::uint64_t size = file.size();
  if (size != facts.fileSize || size < kHeaderSize + segment_format::kFooterSizeMin) {
    return damage(path, size,
                  "the file ends here, the manifest says at " + std::to_string(facts.fileSize));
  }
  const FileParts parts{file, path};
  std::uint32_t version = 0;
  Status status = parts.use(0, kHeaderSize, [&](Bytes header) -> Status {
    const auto found = segment_format::checkHeader(header, facts.number, path);
    if (found.ok()) version = found.value();
    return found.status();
  });
  if (!status.ok()) return status;

  const std::size_t footerSize = segment_format::footerSizeOf(version);
  if (size < kHeaderSize + footerSize) return damage(path, size, "the file is cut short");
  const std::uint64_t footerAt = size - footerSize;
  segment_format::Footer& footer = checked.footer;
  status = parts.use(footerAt, footerSize, [&](Bytes bytes) -> Status {
    const auto parsed = segment_format::parseFooter(bytes, {footerAt, version}, path);
    if (!parsed.ok()) return parsed.status();
    footer = parsed.value().footer;
    return compareFacts(facts, parsed.value(), footerAt, path);
  });
  if (!status.ok()) return status;

  if (version < segment_format::kPagesVersion) {
    return parts.use(footer.directoryOffset, footer.directorySize,
                     [&](Bytes bytes) { return checkColumns(bytes, path, checked); });
  }
  return parts.use(footer.directoryOffset, footer.directorySize + footerSize, [&](Bytes bytes) {
    Status whole = checkPages(bytes, path, checked);
    if (whole.ok() && file.mapped().empty()) checked.pages.assign(bytes.begin(), bytes.end());
    return whole;
  });
}

}  // namespace seriesdb
