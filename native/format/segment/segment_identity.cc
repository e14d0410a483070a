#include "format/segment/segment_identity.h"

#include <array>

#include "common/digest/checksum.h"
#include "common/types/file_names.h"
#include "format/segment/page_directory.h"
#include "format/segment/segment_format.h"

namespace seriesdb {

std::string segmentFileOf(const SegmentFacts& facts) {
  if (!facts.hash) {
    return file_names::join(file_names::kSegmentDirectory, file_names::segmentFile(facts.number));
  }
  const std::string folder =
      file_names::join(file_names::kObjectDirectory, file_names::objectFolder(*facts.hash));
  return file_names::join(folder, file_names::objectFile(*facts.hash));
}

std::string segmentNameOf(const SegmentFacts& facts) {
  return facts.hash ? facts.hash->text() : file_names::segmentFile(facts.number);
}

Result<std::string> findSegmentFile(FileSystem& fs, const std::string& directory,
                                    const SegmentFacts& facts) {
  std::string path = file_names::join(directory, segmentFileOf(facts));
  if (!facts.hash) return path;
  const auto exists = fs.exists(path);
  if (!exists.ok()) return exists.status();
  if (exists.value()) return path;
  SegmentFacts before;
  before.number = facts.number;
  std::string other = file_names::join(directory, segmentFileOf(before));
  const auto isThere = fs.exists(other);
  if (!isThere.ok()) return isThere.status();
  return isThere.value() ? other : path;
}

Result<std::string> makeObjectFolder(FileSystem& fs, const std::string& directory,
                                     const Sha256& hash) {
  const std::string objects = file_names::join(directory, file_names::kObjectDirectory);
  std::string folder = file_names::join(objects, file_names::objectFolder(hash));
  Status made = fs.makeDirectory(folder);
  if (made.ok()) made = fs.syncDirectory(objects);
  if (!made.ok()) return made;
  return folder;
}

bool isOfLaterProgram(FileSystem& fs, const std::string& path) {
  const auto file = fs.openRead(path);
  if (!file.ok() || file.value()->size() < segment_format::kHeaderSize) return false;
  std::array<std::uint8_t, segment_format::kHeaderSize> header{};
  return file.value()->read(0, header).ok() && segment_format::isLaterHeader(header);
}

Result<SegmentFacts> readSegmentIdentity(FileSystem& fs, const std::string& path) {
  using segment_format::damage;
  const auto content = fs.readAll(path);
  if (!content.ok()) return content.status();
  const Bytes file = content.value();
  if (file.size() < segment_format::kHeaderSize + segment_format::kFooterSizeMin) {
    return damage(path, file.size(), "the file is cut short");
  }
  const Bytes header = file.first(segment_format::kHeaderSize);
  const std::uint64_t number = segment_format::numberIn(header);
  const auto version = segment_format::checkHeader(header, number, path);
  if (!version.ok()) return version.status();
  const std::size_t footerSize = segment_format::footerSizeOf(version.value());
  if (file.size() < segment_format::kHeaderSize + footerSize) {
    return damage(path, file.size(), "the file is cut short");
  }
  const Bytes end = file.last(footerSize);
  const std::uint64_t at = file.size() - end.size();
  const auto parsed = segment_format::parseFooter(end, {at, version.value()}, path);
  if (!parsed.ok()) return parsed.status();
  const segment_format::Footer& footer = parsed.value().footer;
  const Bytes directoryBytes = file.subspan(static_cast<std::size_t>(footer.directoryOffset),
                                            static_cast<std::size_t>(footer.directorySize));
  if (version.value() >= segment_format::kPagesVersion) {
    const auto fences = checkDirectory(directoryBytes, footer, path);
    if (!fences.ok()) return fences.status();
  } else if (crc32c(directoryBytes) != footer.directoryCrc) {
    return damage(path, footer.directoryOffset, "the directory's checksum is wrong");
  }
  SegmentFacts facts;
  facts.number = number;
  facts.fileSize = file.size();
  facts.fileCrc = parsed.value().crc;
  facts.sampleCount = footer.sampleCount;
  facts.chunkCount = footer.chunkCount;
  facts.seriesCount = footer.seriesCount;
  facts.tsMin = footer.tsMin;
  facts.tsMax = footer.tsMax;
  facts.sequenceMax = footer.sequenceMax;
  return facts;
}

}  // namespace seriesdb
