// The samples of one series, or of one computed row: columns, ascending in time, one a millisecond.
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
  // To be filled.
  struct Room {
    std::span<std::int64_t> ms;
    std::span<double> values;
  };

  std::size_t size() const { return end_ - begin_; }
  // Until the next change.
  StepColumns columns() const {
    return {std::span(ms_).subspan(begin_, size()), std::span(values_).subspan(begin_, size())};
  }
  // The same, to be changed in place.
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
  // Behind what is there, for so many; what it holds is anything. Memory is kept from row to row,
  // and is not cleared for what fills it anyway.
  Room room(std::size_t count) {
    if (ms_.size() < end_ + count) {
      ms_.resize(end_ + count);
      values_.resize(end_ + count);
    }
    return {std::span(ms_).subspan(end_, count), std::span(values_).subspan(end_, count)};
  }
  // Of the last room what counts: from the one place up to the other.
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
  // Calls `append` with the columns as vectors, behind whose end it may put more.
  template <typename Append>
  auto appendBy(Append append) {
    ms_.resize(end_);
    values_.resize(end_);
    const auto appended = append(ms_, values_);
    end_ = ms_.size();
    return appended;
  }
  // REQUIRES: no more than there are.
  void shorten(std::size_t count) {
    CHECK(count <= size());
    end_ = begin_ + count;
  }
  // Most rows have finite numbers alone, and no marker.
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

  // Of which those from `begin_` up to `end_` count.
  std::vector<std::int64_t> ms_;
  std::vector<double> values_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace seriesdb
