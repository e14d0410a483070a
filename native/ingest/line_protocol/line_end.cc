#include "ingest/line_protocol/line_end.h"

#include <cstring>
#include <string_view>

namespace seriesdb {

namespace {

// The place within a line. Quotes are special only at the start of a field's value, so the scan
// tracks the place.
enum Place : std::uint32_t {
  kStart,
  kComment,
  kHead,  // Measurement and tags.
  kHeadEscape,
  kKey,  // The key of a field.
  kKeyEscape,
  kValueStart,
  kValue,
  kString,
  kStringEscape,
  kTail,  // After the fields.
};

bool isEscapable(char c) { return c == ',' || c == '=' || c == ' '; }

std::uint32_t placeAfter(std::uint32_t place, char c) {
  switch (place) {
    case kStart:
      if (c == ' ' || c == '\t') return kStart;
      if (c == '#') return kComment;
      return c == '\\' ? kHeadEscape : kHead;
    case kHeadEscape:
      if (isEscapable(c)) return kHead;
      [[fallthrough]];
    case kHead:
      if (c == '\\') return kHeadEscape;
      return c == ' ' ? kKey : kHead;
    case kKeyEscape:
      if (isEscapable(c)) return kKey;
      [[fallthrough]];
    case kKey:
      if (c == '\\') return kKeyEscape;
      return c == '=' ? kValueStart : kKey;
    case kValueStart:
      if (c == '"') return kString;
      [[fallthrough]];
    case kValue:
      if (c == ',') return kKey;
      return c == ' ' ? kTail : kValue;
    case kString:
      if (c == '\\') return kStringEscape;
      return c == '"' ? kValue : kString;
    case kStringEscape:
      return kString;
    default:
      return place;
  }
}

bool isInString(std::uint32_t place) { return place == kString || place == kStringEscape; }

}  // namespace

const char* findLineEnd(const char* at, const char* end, LineSearch& search) {
  const auto size = static_cast<std::size_t>(end - at);
  const auto* const newline = static_cast<const char*>(std::memchr(at, '\n', size));
  if (newline != nullptr && !isInString(search.state)) {
    // Most lines have no string.
    const auto piece = static_cast<std::size_t>(newline - at);
    if (std::memchr(at, '"', piece) == nullptr) return newline;
  }
  for (; at < end; ++at) {
    if (*at != '\n') {
      search.state = placeAfter(search.state, *at);
    } else if (isInString(search.state)) {
      ++search.newlines;
      search.state = kString;
    } else {
      return at;
    }
  }
  return nullptr;
}

}  // namespace seriesdb
