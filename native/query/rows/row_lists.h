// Consecutive lists of ordered rows, consumed from the first on.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "query/rows/ordered_rows.h"

namespace seriesdb {

class RowLists {
 public:
  // The rows are borrowed and must outlive this.
  explicit RowLists(std::vector<std::span<const SampleRow>> lists) : lists_(std::move(lists)) {
    pass(0);
  }
  bool isDone() const { return list_ == lists_.size(); }
  // The unread rest of the current list; empty after the last list.
  std::span<const SampleRow> left() const {
    return isDone() ? std::span<const SampleRow>() : lists_[list_];
  }
  // REQUIRES: at most left().size().
  void pass(std::size_t count) {
    if (count > 0) lists_[list_] = lists_[list_].subspan(count);
    while (!isDone() && lists_[list_].empty()) ++list_;
  }

 private:
  std::vector<std::span<const SampleRow>> lists_;
  std::size_t list_ = 0;
};

}  // namespace seriesdb
