#include "ingest/text/json_pieces.h"

#include <algorithm>
#include <utility>

#include "ingest/text/number_text.h"

namespace seriesdb {
namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";
constexpr std::uint8_t kMarkEnd = 4;

bool isBlank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
// True for an integer without a sign that fits any type; most numbers are such.
bool isPlainInteger(std::string_view token) {
  return token.size() <= 18 && (token.size() == 1 || token.front() != '0') &&
         std::ranges::all_of(token, number_text::isDigit);
}
bool isOfNumber(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}
// True for a character that stands for itself in a string.
bool isPlain(char c) {
  return static_cast<signed char>(c) >= 0x20 && c != '"' && c != '\\';
}
bool isFirstHalf(std::uint32_t unit) { return (unit & 0xFC00) == 0xD800; }
bool isSecondHalf(std::uint32_t unit) { return (unit & 0xFC00) == 0xDC00; }

}  // namespace

JsonEvent JsonPieces::next(std::string_view& piece) {
  if (inside_ == Inside::kNothing && (isKey_ || !text_.empty())) {
    isKey_ = false;
    text_.clear();
  }
  while (!piece.empty()) {
    JsonEvent event = JsonEvent::kPieceEnd;
    switch (inside_) {
      case Inside::kNothing:
        if (markSize_ == kMarkEnd || passMark(piece)) event = start(piece);
        break;
      case Inside::kText:
        event = readText(piece);
        break;
      case Inside::kEscape:
        event = readEscape(piece.front());
        piece.remove_prefix(1);
        break;
      case Inside::kHex:
        event = readHex(piece.front());
        piece.remove_prefix(1);
        break;
      case Inside::kNumber:
        event = readNumber(piece);
        break;
      case Inside::kWord:
        event = readWord(piece);
        break;
    }
    if (event != JsonEvent::kPieceEnd) return event;
  }
  return JsonEvent::kPieceEnd;
}

JsonEvent JsonPieces::fail(std::string fault) {
  fault_ = std::move(fault);
  return JsonEvent::kFault;
}

JsonEvent JsonPieces::failJson(const std::string& why) {
  return fail(subject_ + " is not JSON: " + why);
}

JsonEvent JsonPieces::failAt(char c) {
  static constexpr char kDigits[] = "0123456789abcdef";
  const auto byte = static_cast<std::uint8_t>(c);
  std::string shown = "byte 0x";
  shown += kDigits[byte >> 4];
  shown += kDigits[byte & 15];
  if (byte > 0x20 && byte < 0x7f) shown = std::string("`") + c + '`';
  return failJson("unexpected " + shown);
}

void JsonPieces::keep(std::string_view part) {
  text_.append(part.substr(0, kTextMax - std::min(kTextMax, text_.size())));
}

void JsonPieces::keepCodePoint(std::uint32_t point) {
  char bytes[4];
  std::size_t size = 0;
  const auto add = [&](std::uint32_t byte) { bytes[size++] = static_cast<char>(byte); };
  if (point < 0x80) {
    add(point);
  } else {
    if (point < 0x800) {
      add(0xC0 | point >> 6);
    } else {
      if (point < 0x10000) {
        add(0xE0 | point >> 12);
      } else {
        add(0xF0 | point >> 18);
        add(0x80 | (point >> 12 & 0x3F));
      }
      add(0x80 | (point >> 6 & 0x3F));
    }
    add(0x80 | (point & 0x3F));
  }
  keep({bytes, size});
}

// False while more of the mark may follow.
bool JsonPieces::passMark(std::string_view& piece) {
  if (markSize_ < kMark.size() && piece.front() == kMark[markSize_]) {
    ++markSize_;
    piece.remove_prefix(1);
    return false;
  }
  // An incomplete mark is invalid JSON.
  if (markSize_ > 0 && markSize_ < kMark.size()) expected_ = Expected::kNothing;
  markSize_ = kMarkEnd;
  return true;
}

JsonEvent JsonPieces::start(std::string_view& piece) {
  const auto first = std::ranges::find_if_not(piece, isBlank);
  piece.remove_prefix(static_cast<std::size_t>(first - piece.begin()));
  if (piece.empty()) return JsonEvent::kPieceEnd;
  const char c = piece.front();
  // Any other character begins a longer token.
  const bool isWhole = std::string_view("{}[],:\"").find(c) != std::string_view::npos;
  if (!isWhole) return startOther(c);
  piece.remove_prefix(1);
  switch (c) {
    case '{':
    case '[':
      return open(c == '{');
    case '}':
    case ']':
      return close(c == '}');
    case ',':
      if (expected_ != Expected::kComma) return failAt(c);
      expected_ = isInObject() ? Expected::kKey : Expected::kValue;
      return JsonEvent::kPieceEnd;
    case ':':
      if (expected_ != Expected::kColon) return failAt(c);
      expected_ = Expected::kValue;
      return JsonEvent::kPieceEnd;
    default:
      isKey_ = expected_ == Expected::kFirstKey || expected_ == Expected::kKey;
      if (!isKey_ && !isValueExpected()) return failAt(c);
      inside_ = Inside::kText;
      return JsonEvent::kPieceEnd;
  }
}

JsonEvent JsonPieces::startOther(char c) {
  if (!isValueExpected()) return failAt(c);
  if (c == '-' || number_text::isDigit(c)) {
    inside_ = Inside::kNumber;
    return JsonEvent::kPieceEnd;
  }
  word_ = c == 't' ? "true" : c == 'f' ? "false" : c == 'n' ? "null" : "";
  if (word_.empty()) return failAt(c);
  wordSize_ = 0;
  inside_ = Inside::kWord;
  return JsonEvent::kPieceEnd;
}

JsonEvent JsonPieces::open(bool isObject) {
  if (!isValueExpected()) return failAt(isObject ? '{' : '[');
  if (depth_ == kDepthMax) {
    return fail(subject_ + " nests more than " + std::to_string(kDepthMax) + " levels deep");
  }
  isObject_[depth_] = isObject;
  ++depth_;
  expected_ = isObject ? Expected::kFirstKey : Expected::kFirstItem;
  return isObject ? JsonEvent::kObject : JsonEvent::kList;
}

JsonEvent JsonPieces::close(bool isObject) {
  const Expected empty = isObject ? Expected::kFirstKey : Expected::kFirstItem;
  const bool isEnd = expected_ == Expected::kComma || expected_ == empty;
  if (!isEnd || depth_ == 0 || isInObject() != isObject) return failAt(isObject ? '}' : ']');
  --depth_;
  endValue();
  return isObject ? JsonEvent::kObjectEnd : JsonEvent::kListEnd;
}

JsonEvent JsonPieces::readText(std::string_view& piece) {
  while (!piece.empty()) {
    const char c = piece.front();
    if (static_cast<signed char>(c) < 0) {
      piece.remove_prefix(1);
      if (firstUnit_ != 0) return failAt(c);
      if (const JsonEvent event = readHigh(static_cast<std::uint8_t>(c));
          event != JsonEvent::kPieceEnd) {
        return event;
      }
      continue;
    }
    if (missing_ > 0) return fail(subject_ + " is not UTF-8");
    if (c == '\\') {
      piece.remove_prefix(1);
      inside_ = Inside::kEscape;
      return JsonEvent::kPieceEnd;
    }
    if (firstUnit_ != 0) return failJson("an incomplete \\u pair");
    if (c == '"') {
      piece.remove_prefix(1);
      return endText();
    }
    if (!isPlain(c)) return failAt(c);
    const auto end = std::ranges::find_if_not(piece, isPlain);
    const auto size = static_cast<std::size_t>(end - piece.begin());
    keep(piece.substr(0, size));
    piece.remove_prefix(size);
  }
  return JsonEvent::kPieceEnd;
}

JsonEvent JsonPieces::endText() {
  inside_ = Inside::kNothing;
  if (!isKey_) {
    endValue();
    return JsonEvent::kText;
  }
  expected_ = Expected::kColon;
  return JsonEvent::kKey;
}

// Reads a byte of a multi-byte UTF-8 character. Refuses overlong forms, halves of surrogate pairs,
// and characters above U+10FFFF.
JsonEvent JsonPieces::readHigh(std::uint8_t byte) {
  if (missing_ > 0) {
    if (byte < low_ || byte > high_) return fail(subject_ + " is not UTF-8");
    --missing_;
    low_ = 0x80;
    high_ = 0xBF;
  } else {
    if (byte < 0xC2 || byte > 0xF4) return fail(subject_ + " is not UTF-8");
    missing_ = byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3;
    low_ = byte == 0xE0 ? 0xA0 : byte == 0xF0 ? 0x90 : 0x80;
    high_ = byte == 0xED ? 0x9F : byte == 0xF4 ? 0x8F : 0xBF;
  }
  const char c = static_cast<char>(byte);
  keep({&c, 1});
  return JsonEvent::kPieceEnd;
}

JsonEvent JsonPieces::readEscape(char c) {
  static constexpr std::string_view kNames = "\"\\/bfnrt";
  static constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
  if (c == 'u') {
    hexCount_ = 0;
    unit_ = 0;
    inside_ = Inside::kHex;
    return JsonEvent::kPieceEnd;
  }
  const std::size_t place = kNames.find(c);
  if (place == std::string_view::npos || firstUnit_ != 0) return failAt(c);
  keep(kMeant.substr(place, 1));
  inside_ = Inside::kText;
  return JsonEvent::kPieceEnd;
}

JsonEvent JsonPieces::readHex(char c) {
  const char lower = static_cast<char>(c | 0x20);
  const bool isDigit = number_text::isDigit(c);
  if (!isDigit && (lower < 'a' || lower > 'f')) return failAt(c);
  unit_ = unit_ << 4 | static_cast<std::uint32_t>(isDigit ? c - '0' : lower - 'a' + 10);
  if (++hexCount_ < 4) return JsonEvent::kPieceEnd;
  inside_ = Inside::kText;
  if (isSecondHalf(unit_) != (firstUnit_ != 0)) {
    return failJson("an incomplete \\u pair");
  }
  if (isFirstHalf(unit_)) {
    firstUnit_ = unit_;
  } else if (firstUnit_ != 0) {
    keepCodePoint(0x10000 + ((firstUnit_ & 0x3FF) << 10 | (unit_ & 0x3FF)));
    firstUnit_ = 0;
  } else {
    keepCodePoint(unit_);
  }
  return JsonEvent::kPieceEnd;
}

JsonEvent JsonPieces::readNumber(std::string_view& piece) {
  const auto end = std::ranges::find_if_not(piece, isOfNumber);
  const auto size = static_cast<std::size_t>(end - piece.begin());
  if (text_.size() + size > kNumberMax) {
    return fail("a number has more than " + std::to_string(kNumberMax) + " characters");
  }
  keep(piece.substr(0, size));
  piece.remove_prefix(size);
  if (piece.empty()) return JsonEvent::kPieceEnd;
  inside_ = Inside::kNothing;
  endValue();
  if (isPlainInteger(text_) || isJsonNumber(text_)) return JsonEvent::kNumber;
  return failJson("`" + text_ + "` is not a number");
}

JsonEvent JsonPieces::readWord(std::string_view& piece) {
  while (!piece.empty() && wordSize_ < word_.size()) {
    if (piece.front() != word_[wordSize_]) return failAt(piece.front());
    piece.remove_prefix(1);
    ++wordSize_;
  }
  if (wordSize_ < word_.size()) return JsonEvent::kPieceEnd;
  inside_ = Inside::kNothing;
  endValue();
  return word_ == "true" ? JsonEvent::kTrueWord
                         : word_ == "false" ? JsonEvent::kFalseWord : JsonEvent::kNull;
}

}  // namespace seriesdb
