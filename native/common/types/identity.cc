#include "common/types/identity.h"

#include "common/digest/hash.h"
#include "common/types/byte_lanes.h"

namespace seriesdb {
namespace {

constexpr unsigned kSeriesIdBits = 53;  // A JavaScript number holds it exactly.

bool needsEscape(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; }
std::uint64_t anyNeedsEscape(std::uint64_t eight) {
  return anyByteBelow(eight, 0x20) | anyByteIs(eight, '"') | anyByteIs(eight, '\\');
}

void appendEscape(std::string& out, char c) {
  constexpr std::string_view kHexDigits = "0123456789abcdef";
  out += '\\';
  switch (c) {
    case '"':
    case '\\':
      out += c;
      return;
    case '\b':
      out += 'b';
      return;
    case '\t':
      out += 't';
      return;
    case '\n':
      out += 'n';
      return;
    case '\f':
      out += 'f';
      return;
    case '\r':
      out += 'r';
      return;
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(c);
  out += "u00";
  out += kHexDigits[byte >> 4];
  out += kHexDigits[byte & 15];
}

}  // namespace

std::size_t heapBytesOf(const OwnedLabels& labels) {
  std::size_t bytes = labels.capacity() * sizeof(labels[0]);
  for (const auto& [key, value] : labels) bytes += key.capacity() + value.capacity();
  return bytes;
}

std::vector<Label> viewsOf(std::span<const std::pair<std::string, std::string>> labels) {
  std::vector<Label> views;
  views.reserve(labels.size());
  for (const auto& [key, value] : labels) views.push_back({key, value});
  return views;
}

// JSON.stringify escapes nothing from 0x20 on (not even DEL and U+2028), except the quote and the
// backslash. It also escapes lone surrogates, which cannot occur in UTF-8.
void appendJsonString(std::string& out, std::string_view text) {
  out += '"';
  std::size_t plain = 0;
  for (std::size_t i = skipEights(text, anyNeedsEscape); i < text.size(); ++i) {
    if (!needsEscape(text[i])) continue;
    out.append(text, plain, i - plain);
    appendEscape(out, text[i]);
    plain = i + 1;
  }
  out.append(text, plain);
  out += '"';
}

void appendCanonicalPair(std::string& out, const Label& label) {
  appendJsonString(out, label.key);
  out += ':';
  appendJsonString(out, label.value);
}

void appendCanonicalLabels(std::string& out, std::span<const Label> labels) {
  out += '{';
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (i > 0) out += ',';
    appendCanonicalPair(out, labels[i]);
  }
  out += '}';
}

std::string identityText(std::string_view name, std::span<const Label> labels) {
  std::size_t size = name.size() + 3;
  for (const Label& label : labels) size += label.key.size() + label.value.size() + 6;
  std::string text;
  text.reserve(size);
  text += name;
  text += '|';
  appendCanonicalLabels(text, labels);
  return text;
}

SeriesId seriesIdOf(std::string_view identity) {
  return xxh64(asBytes(identity)) >> (64 - kSeriesIdBits);
}

}  // namespace seriesdb
