// Parses JSON that arrives in pieces into events. It checks byte by byte, so a piece may end
// anywhere. It keeps only the text that it is reading.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "ingest/body_budget.h"

namespace seriesdb {

enum class JsonEvent : std::uint8_t {
  kPieceEnd,  // The piece is used up.
  kFault,     // See fault(); no further call is allowed.
  kObject,    // An object begins.
  kObjectEnd,
  kList,
  kListEnd,
  kKey,
  kText,
  kNumber,
  kTrueWord,
  kFalseWord,
  kNull,
};

class JsonPieces {
 public:
  static constexpr std::size_t kDepthMax = 128;
  // A longer text is cut here; it exceeds the limits of every reader.
  static constexpr std::size_t kTextMax = kRecordTextMax + 1;
  static constexpr std::size_t kNumberMax = 1024;

  // `subject` begins the faults: "the body", "the line".
  explicit JsonPieces(std::string subject) : subject_(std::move(subject)) {}

  // Takes the next event from the front of the piece.
  JsonEvent next(std::string_view& piece);
  // The characters of a key or string, or the token of a number. Valid until the next call.
  std::string_view text() const { return text_; }
  const std::string& fault() const { return fault_; }
  // True if exactly one complete value has arrived.
  bool isWhole() const { return expected_ == Expected::kNothing; }
  std::size_t memoryBytes() const { return text_.capacity(); }

 private:
  enum class Expected : std::uint8_t {
    kValue,
    kFirstItem,  // Or the end of the list.
    kFirstKey,   // Or the end of the object.
    kKey,
    kColon,
    kComma,  // Or the end of the container.
    kNothing,
  };
  enum class Inside : std::uint8_t { kNothing, kText, kEscape, kHex, kNumber, kWord };

  bool isValueExpected() const {
    return expected_ == Expected::kValue || expected_ == Expected::kFirstItem;
  }
  bool isInObject() const { return depth_ > 0 && isObject_[depth_ - 1]; }
  JsonEvent fail(std::string fault);
  JsonEvent failJson(const std::string& why);
  JsonEvent failAt(char c);
  void endValue() { expected_ = depth_ == 0 ? Expected::kNothing : Expected::kComma; }
  void keep(std::string_view part);
  void keepCodePoint(std::uint32_t point);

  bool passMark(std::string_view& piece);
  JsonEvent start(std::string_view& piece);
  JsonEvent startOther(char c);
  JsonEvent open(bool isObject);
  JsonEvent close(bool isObject);
  JsonEvent readText(std::string_view& piece);
  JsonEvent endText();
  JsonEvent readHigh(std::uint8_t byte);
  JsonEvent readEscape(char c);
  JsonEvent readHex(char c);
  JsonEvent readNumber(std::string_view& piece);
  JsonEvent readWord(std::string_view& piece);

  std::string subject_;
  Expected expected_ = Expected::kValue;
  Inside inside_ = Inside::kNothing;
  bool isKey_ = false;  // The text is a key.
  std::size_t depth_ = 0;
  std::bitset<kDepthMax> isObject_;
  std::uint8_t markSize_ = 0;  // The bytes of a leading byte order mark so far; kMarkEnd after it.
  std::string text_;
  std::string_view word_;     // The literal being read.
  std::size_t wordSize_ = 0;  // The number of its characters so far.
  // For a multi-byte character: the number of missing bytes, and the bounds of the next one.
  unsigned missing_ = 0;
  std::uint8_t low_ = 0;
  std::uint8_t high_ = 0;
  // For \uXXXX.
  unsigned hexCount_ = 0;
  std::uint32_t unit_ = 0;
  std::uint32_t firstUnit_ = 0;  // The first half of a surrogate pair; the second must follow.
  std::string fault_;
};

}  // namespace seriesdb
