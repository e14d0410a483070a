#include "segment/segment_identity.h"

#include "base/checksum.h"
#include "model/file_names.h"
#include "segment/page_directory.h"
#include "segment/segment_format.h"

namespace seriesdb {

Result<SegmentFacts> readSegmentIdentity(FileSystem& fs, const std::string& directory,
                                         std::uint64_t number) {
  using segment_format::damage;
  const std::string path = file_names::join(directory, file_names::segmentFile(number));
  const auto content = fs.readAll(path);
  if (!content.ok()) return content.status();
  const Bytes file = content.value();
  if (file.size() < segment_format::kHeaderSize + segment_format::kFooterSizeMin) {
    return damage(path, file.size(), "the file is cut short");
  }
  const auto version =
      segment_format::checkHeader(file.first(segment_format::kHeaderSize), number, path);
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
