// Writes and checks the header and the footer of a segment.
#include "format/segment/segment_format.h"

#include <string_view>

#include "common/digest/checksum.h"

namespace seriesdb::segment_format {
namespace {

constexpr std::string_view kHeaderMagic = "sdbsegm\n";
constexpr std::string_view kFooterMagic = "sdbsegf\n";
constexpr std::size_t kVersionAt = kHeaderMagic.size();
constexpr std::size_t kNumberAt = kVersionAt + 4;
constexpr std::size_t kHeaderCrcAt = kHeaderSize - 4;
// The footer's tail: version, CRC, magic.
constexpr std::size_t kFooterTailSize = 16;
constexpr std::size_t kFooterCrcSize = 12;

}  // namespace

Status damage(const std::string& path, std::uint64_t offset, std::string_view what) {
  std::string message = path + " at offset " + std::to_string(offset) + ": ";
  return Status::corrupt(message.append(what));
}

void appendHeader(ByteBuffer& out, std::uint64_t number) {
  const std::size_t begin = out.size();
  appendBytes(out, asBytes(kHeaderMagic));
  appendLe(out, kVersion);
  appendLe(out, number);
  appendLe(out, crc32c(Bytes(out).subspan(begin)));
}

std::uint32_t appendFooter(ByteBuffer& out, const Footer& footer) {
  const std::size_t begin = out.size();
  appendLe(out, footer.directoryOffset);
  appendLe(out, footer.directorySize);
  appendLe(out, footer.chunkCount);
  appendLe(out, footer.sampleCount);
  appendLe(out, footer.tsMin);
  appendLe(out, footer.tsMax);
  appendLe(out, footer.sequenceMax);
  appendLe(out, footer.seriesCount);
  appendLe(out, footer.directoryCrc);
  if (footer.version >= kPagesVersion) appendLe(out, footer.pageCount);
  // Zeros, up to the tail that all versions share.
  out.resize(begin + footerSizeOf(footer.version) - kFooterTailSize);
  appendLe(out, footer.version);
  const std::uint32_t crc = crc32c(Bytes(out).subspan(begin));
  appendLe(out, crc);
  appendBytes(out, asBytes(kFooterMagic));
  return crc;
}

std::uint64_t numberIn(Bytes header) { return loadLe<std::uint64_t>(&header[kNumberAt]); }

bool isLaterHeader(Bytes header) {
  return asText(header.first(kHeaderMagic.size())) == kHeaderMagic &&
         loadLe<std::uint32_t>(&header[kHeaderCrcAt]) == crc32c(header.first(kHeaderCrcAt)) &&
         loadLe<std::uint32_t>(&header[kVersionAt]) > kVersion;
}

Result<std::uint32_t> checkHeader(Bytes header, std::uint64_t number, const std::string& path) {
  if (asText(header.first(kHeaderMagic.size())) != kHeaderMagic) {
    return damage(path, 0, "this is not a segment file");
  }
  if (loadLe<std::uint32_t>(&header[kHeaderCrcAt]) != crc32c(header.first(kHeaderCrcAt))) {
    return damage(path, 0, "the header's checksum is wrong");
  }
  const auto version = loadLe<std::uint32_t>(&header[kVersionAt]);
  if (version > kVersion) {
    return damage(path, kVersionAt,
                  "segment version " + std::to_string(version) +
                      " was written by a newer seriesdb; this one reads version " +
                      std::to_string(kVersion));
  }
  if (version == 0) {
    return damage(path, kVersionAt, "unknown segment version " + std::to_string(version));
  }
  const std::uint64_t found = numberIn(header);
  if (found != number) {
    return damage(path, kNumberAt, "the file is segment " + std::to_string(found));
  }
  return version;
}

Result<ParsedFooter> parseFooter(Bytes bytes, FooterPlace place, const std::string& path) {
  const std::uint64_t at = place.at;
  if (asText(bytes.last(kFooterMagic.size())) != kFooterMagic) {
    return damage(path, at, "the footer's magic is missing");
  }
  ParsedFooter parsed;
  const Bytes covered = bytes.first(bytes.size() - kFooterCrcSize);
  parsed.crc = loadLe<std::uint32_t>(&bytes[covered.size()]);
  if (parsed.crc != crc32c(covered)) {
    return damage(path, at, "the footer's checksum is wrong");
  }
  ByteReader reader(bytes);
  Footer& footer = parsed.footer;
  footer.directoryOffset = reader.readLe<std::uint64_t>();
  footer.directorySize = reader.readLe<std::uint64_t>();
  footer.chunkCount = reader.readLe<std::uint64_t>();
  footer.sampleCount = reader.readLe<std::uint64_t>();
  footer.tsMin = reader.readLe<Timestamp>();
  footer.tsMax = reader.readLe<Timestamp>();
  footer.sequenceMax = reader.readLe<std::uint64_t>();
  footer.seriesCount = reader.readLe<std::uint32_t>();
  footer.directoryCrc = reader.readLe<std::uint32_t>();
  if (place.version >= kPagesVersion) footer.pageCount = reader.readLe<std::uint32_t>();
  footer.version = loadLe<std::uint32_t>(&bytes[bytes.size() - kFooterTailSize]);
  if (footer.version != place.version) {
    return damage(path, at, "the footer's version is not the header's");
  }
  const std::uint64_t room = at - kHeaderSize;
  if (footer.directorySize > room || footer.directoryOffset != at - footer.directorySize) {
    return damage(path, at, "the directory lies outside the file");
  }
  return parsed;
}

}  // namespace seriesdb::segment_format
