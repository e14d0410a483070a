// Rows as text: what is printed, and how. JSON arrays with commas between them, JSON objects of
// which each is a line, and lines of CSV differ only in these words.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/numbers/json_number.h"
#include "query/print/near_integers.h"

namespace seriesdb {

struct TextColumn {
  enum class Kind : std::uint8_t {
    kPlace,  // A column of a table; the others are of raw rows.
    kTime,
    kValue,
    kSeriesId,
    kMetric,
    kLabel,
    kLabels,  // All of them, as canonical JSON text in a text.
    kObject,  // The same as it is: a JSON object.
  };
  Kind kind = Kind::kPlace;
  std::uint32_t place = 0;  // Of kPlace.
  std::string label;        // Of kLabel.
  std::string before;       // Stands before the value.
};

struct TextOrderKey {
  std::uint32_t place;
  bool isDescending;
};

struct TextPlan {
  std::vector<TextColumn> columns;
  std::string rowEnd;
  std::string between;  // Rows.
  bool isCsv = false;   // Texts as in CSV, and null is nothing.
  bool isFiniteOnly = false;  // Rows of samples whose value is no finite number are left out.
  // Of a table: how its rows are ordered (nulls last; stable) and cut.
  std::vector<TextOrderKey> order;
  std::uint64_t offset = 0;
  std::uint64_t limit = UINT64_MAX;

  std::string_view null() const { return isCsv ? "" : "null"; }
};

// Some rows. Between two pieces `between` is still missing.
struct RowTexts {
  std::string text;
  std::uint64_t rowCount = 0;
  std::uint64_t leftOutCount = 0;  // Rows of samples, since their value is no finite number.
  bool isLast = false;
};

// Appends a text as a cell.
void appendCell(std::string& out, std::string_view text, bool isCsv);

// A string that is written at its end through a pointer.
class TextSink {
 public:
  // Of an answer: what is handed over at once.
  static constexpr std::size_t kPieceSize = std::size_t{256} << 10;

  // Clears `text`, whose size is right only after finish(). `expected`: bytes, if that is known.
  TextSink(std::string& text, std::size_t expected) : text_(text) {
    text_.resize(expected);
    at_ = text_.data();
  }
  std::size_t size() const { return static_cast<std::size_t>(at_ - text_.data()); }
  bool isFull() const { return size() >= kPieceSize; }
  // Makes room for so many more bytes.
  void reserve(std::size_t count) {
    const std::size_t used = size();
    if (text_.size() - used >= count) return;
    text_.resize(std::max(text_.size() * 2, used + count));
    at_ = text_.data() + used;
  }
  // REQUIRES (all): room.
  void add(std::string_view part) {
    std::memcpy(at_, part.data(), part.size());
    at_ += part.size();
  }
  void add(std::int64_t value) { at_ = writeInteger(at_, value); }
  void add(NearIntegers& near, std::int64_t value) { at_ = near.write(at_, value); }
  void add(double value) { at_ = writeValue(at_, value); }
  // What write(char*) writes at the end, and returns the new end of.
  template <typename Write>
  void addBy(Write write) {
    at_ = write(at_);
  }
  void finish() { text_.resize(size()); }

 private:
  std::string& text_;
  char* at_;
};

}  // namespace seriesdb
