// A text of JSON that comes in pieces, as the events that it is made of. It is checked byte by
// byte, so that it may be cut anywhere, and nothing of it is kept but the text that is being read.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>

#include "ingest/body_budget.h"

namespace seriesdb {

enum class JsonEvent : std::uint8_t {
  kPieceEnd,  // The piece is used up.
  kFault,     // See fault(); nothing more may come.
  kObject,    // One begins.
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
  // A longer text ends there: whatever has it has too much of it.
  static constexpr std::size_t kTextMax = kRecordTextMax + 1;
  static constexpr std::size_t kNumberMax = 1024;

  // Takes the next event off the front of the piece.
  JsonEvent next(std::string_view& piece);
  // Of a key or a text its characters, of a number the token. Valid until the next call.
  std::string_view text() const { return text_; }
  const std::string& fault() const { return fault_; }
  // One value came, and all of it.
  bool isWhole() const { return expected_ == Expected::kNothing; }
  std::size_t memoryBytes() const { return text_.capacity(); }

 private:
  enum class Expected : std::uint8_t {
    kValue,
    kFirstItem,  // Or the end of the list.
    kFirstKey,   // Or the end of the object.
    kKey,
    kColon,
    kComma,  // Or the end of what the value is in.
    kNothing,
  };
  enum class Inside : std::uint8_t { kNothing, kText, kEscape, kHex, kNumber, kWord };

  bool isValueExpected() const {
    return expected_ == Expected::kValue || expected_ == Expected::kFirstItem;
  }
  bool isInObject() const { return depth_ > 0 && isObject_[depth_ - 1]; }
  JsonEvent fail(std::string fault);
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

  Expected expected_ = Expected::kValue;
  Inside inside_ = Inside::kNothing;
  bool isKey_ = false;  // The text is one.
  std::size_t depth_ = 0;
  std::bitset<kDepthMax> isObject_;
  std::uint8_t markSize_ = 0;  // Of a byte order mark in front; kMarkEnd when it is past.
  std::string text_;
  std::string_view word_;     // The word that is being read.
  std::size_t wordSize_ = 0;  // As far as it came.
  // Of a character of several bytes: how many are missing, and what the next may be.
  unsigned missing_ = 0;
  std::uint8_t low_ = 0;
  std::uint8_t high_ = 0;
  // Of \uXXXX.
  unsigned hexCount_ = 0;
  std::uint32_t unit_ = 0;
  std::uint32_t firstUnit_ = 0;  // The first half of a pair, when the second must follow.
  std::string fault_;
};

}  // namespace seriesdb
