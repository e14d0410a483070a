// The unread rest of a chunk. The chunk is lent for one call; a parser that pauses keeps a copy.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace seriesdb {

class LentText {
 public:
  void lend(std::string_view text) {
    rest_ = text;
    isKept_ = false;
  }
  std::string_view rest() const { return rest_; }
  bool isEmpty() const { return rest_.empty(); }
  void take(std::size_t size) { rest_.remove_prefix(size); }
  void clear() { rest_ = {}; }
  // Call when a step ends: copies a lent rest, and frees a copy that was read.
  void keep() {
    if (rest_.empty()) {
      if (!kept_.empty()) kept_ = {};
    } else if (!isKept_) {
      kept_ = rest_;
      rest_ = kept_;
      isKept_ = true;
    }
  }
  std::size_t memoryBytes() const { return kept_.capacity(); }

 private:
  std::string_view rest_;  // Lent, or in `kept_`.
  std::string kept_;
  bool isKept_ = false;
};

}  // namespace seriesdb
