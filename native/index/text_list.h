// Many texts as one block of bytes, so that a long list is moved without touching each text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/base/status.h"

namespace seriesdb {

class TextList {
 public:
  static constexpr std::size_t kBytesMax = UINT32_MAX;

  TextList() = default;
  TextList(std::initializer_list<std::string_view> texts) {
    for (const std::string_view text : texts) add(text);
  }
  explicit TextList(const std::vector<std::string>& texts) {
    for (const std::string_view text : texts) add(text);
  }
  // Text i ends before byte ends[i], where the next text begins. kInvalidArgument unless the ends
  // ascend and cover all bytes.
  static Result<TextList> pack(std::string bytes, std::vector<std::uint32_t> ends);

  // REQUIRES: hasRoom(text.size()).
  void add(std::string_view text) {
    CHECK(hasRoom(text.size()));
    bytes_ += text;
    ends_.push_back(static_cast<std::uint32_t>(bytes_.size()));
  }
  bool hasRoom(std::size_t size) const { return size <= kBytesMax - bytes_.size(); }

  std::size_t size() const { return ends_.size(); }
  bool empty() const { return ends_.empty(); }
  // A view, valid until the list is changed or moved. REQUIRES: i < size()
  std::string_view operator[](std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(bytes_).substr(begin, ends_[i] - begin);
  }
  // All texts, ascending and without duplicates; views as above.
  std::vector<std::string_view> distinct() const;

 private:
  std::string bytes_;
  std::vector<std::uint32_t> ends_;
};

}  // namespace seriesdb
