// The samples of one series or one computed row as columns. Times ascend and are distinct.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/check.h"
#include "common/base/value_fold.h"
#include "common/types/stale_marker.h"

namespace seriesdb {

struct StepColumns {
  std::span<const std::int64_t> ms;
  std::span<const double> values;

  std::size_t size() const { return ms.size(); }
};

class StepSamples {
 public:
  // Memory for the caller to fill.
  struct Room {
    std::span<std::int64_t> ms;
    std::span<double> values;
  };

  std::size_t size() const { return end_ - begin_; }
  // Valid until the next change.
  StepColumns columns() const {
    return {std::span(ms_).subspan(begin_, size()), std::span(values_).subspan(begin_, size())};
  }
  // The same samples, for changes in place.
  Room all() {
    return {std::span(ms_).subspan(begin_, size()), std::span(values_).subspan(begin_, size())};
  }

  void clear() { begin_ = end_ = 0; }
  void push(std::int64_t ms, double value) {
    const Room one = room(1);
    one.ms[0] = ms;
    one.values[0] = value;
    keep(0, 1);
  }
  // Room for so many samples behind the present ones; its content is undefined. Memory is reused
  // from row to row without clearing.
  Room room(std::size_t count) {
    if (ms_.size() < end_ + count) {
      ms_.resize(end_ + count);
      values_.resize(end_ + count);
    }
    return {std::span(ms_).subspan(end_, count), std::span(values_).subspan(end_, count)};
  }
  // Keeps the samples of the last room from place `begin` up to `end`.
  void keep(std::size_t begin, std::size_t end) {
    CHECK(begin <= end && end_ + end <= ms_.size());
    if (size() == 0) {
      begin_ = end_ + begin;
      end_ += end;
      return;
    }
    if (begin > 0) moveDown(begin, end);
    end_ += end - begin;
  }
  // Calls `append` with the columns as vectors; it may add samples at their ends.
  template <typename Append>
  auto appendBy(Append append) {
    ms_.resize(end_);
    values_.resize(end_);
    const auto appended = append(ms_, values_);
    end_ = ms_.size();
    return appended;
  }
  // REQUIRES: `count` is at most size().
  void shorten(std::size_t count) {
    CHECK(count <= size());
    end_ = begin_ + count;
  }
  // Most rows have only finite numbers and so no marker.
  void dropStale() {
    const Room row = all();
    if (!areFinite(row.values)) shorten(seriesdb::dropStale(row.ms, row.values));
  }
  std::uint64_t bytes() const {
    return ms_.capacity() * sizeof(ms_[0]) + values_.capacity() * sizeof(values_[0]);
  }

 private:
  void moveDown(std::size_t begin, std::size_t end) {
    const Room from = room(end);
    std::ranges::copy(from.ms.subspan(begin), from.ms.begin());
    std::ranges::copy(from.values.subspan(begin), from.values.begin());
  }

  // Only the samples from `begin_` up to `end_` count.
  std::vector<std::int64_t> ms_;
  std::vector<double> values_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace seriesdb
