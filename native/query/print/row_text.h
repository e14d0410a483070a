// The form of rows as text. JSON arrays, JSON objects (one per line) and CSV lines differ only in
// the texts of a TextPlan.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/numbers/json_number.h"
#include "query/print/near_integers.h"
#include "query/print/piece_size.h"

namespace seriesdb {

struct TextColumn {
  enum class Kind : std::uint8_t {
    kPlace,  // A column of a table. The other kinds are columns of raw rows.
    kTime,
    kValue,
    kSeriesId,
    kMetric,
    kLabel,
    kLabels,  // All labels, as canonical JSON inside a text.
    kObject,  // All labels, as a JSON object.
  };
  Kind kind = Kind::kPlace;
  std::uint32_t place = 0;  // For kPlace.
  std::string label;        // For kLabel.
  std::string before;       // Written before the value.
};

struct TextOrderKey {
  std::uint32_t place;
  bool isDescending;
};

struct TextPlan {
  std::vector<TextColumn> columns;
  std::string rowEnd;
  std::string between;        // Written between rows.
  bool isCsv = false;         // Texts are quoted as in CSV, and null is empty.
  bool isFiniteOnly = false;  // Skip raw rows whose value is not a finite number.
  // For a table: the order of its rows (nulls last; stable), and the range of rows to print.
  std::vector<TextOrderKey> order;
  std::uint64_t offset = 0;
  std::uint64_t limit = UINT64_MAX;

  std::string_view null() const { return isCsv ? "" : "null"; }
};

// A piece of rows. The caller writes `between` between two pieces.
struct RowTexts {
  std::string text;
  std::uint64_t rowCount = 0;
  std::uint64_t leftOutCount = 0;  // Raw rows skipped because their value is not a finite number.
  bool isLast = false;
};

// Appends a text as a cell, quoted for CSV or JSON.
void appendCell(std::string& out, std::string_view text, bool isCsv);

// A string being written, through a pointer to the end of its text.
class TextSink {
 public:
  static constexpr std::size_t kPieceSize = kTextPieceSize;

  // Clears `text`. The string has its right size only after finish(). `expected`: bytes if known,
  // else 0.
  TextSink(std::string& text, std::size_t expected) : text_(text) {
    text_.resize(expected);
    at_ = text_.data();
  }
  std::size_t size() const { return static_cast<std::size_t>(at_ - text_.data()); }
  bool isFull() const { return size() >= kPieceSize; }
  // Makes room for `count` more bytes.
  void reserve(std::size_t count) {
    const std::size_t used = size();
    if (text_.size() - used >= count) return;
    text_.resize(std::max(text_.size() * 2, used + count));
    at_ = text_.data() + used;
  }
  // All add functions REQUIRE room.
  void add(std::string_view part) {
    std::memcpy(at_, part.data(), part.size());
    at_ += part.size();
  }
  void add(std::int64_t value) { at_ = writeInteger(at_, value); }
  void add(NearIntegers& near, std::int64_t value) { at_ = near.write(at_, value); }
  void add(double value) { at_ = writeValue(at_, value); }
  // write(char*) writes at the end and returns the new end.
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
