// An array of plain values that grows where it lies, and does not clear what it grows by: of a
// large one the kernel moves the pages, so that none is copied, or touched before it is written.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "base/check.h"

namespace seriesdb {

template <typename T>
class PlainArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  PlainArray() = default;
  PlainArray(PlainArray&& other) noexcept { swap(other); }
  PlainArray& operator=(PlainArray&& other) noexcept {
    PlainArray(std::move(other)).swap(*this);
    return *this;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::size_t capacity() const { return capacity_; }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  const T& operator[](std::size_t place) const { return data_.get()[place]; }

  // New places hold anything.
  void resize(std::size_t size) {
    if (size > capacity_) reallocate(std::max(size, capacity_ + capacity_ / 2));
    size_ = size;
  }
  void append(std::span<const T> values) {
    const std::size_t place = size_;
    resize(size_ + values.size());
    std::ranges::copy(values, data() + place);
  }
  // Gives back what lies behind the end.
  void fit() {
    if (size_ < capacity_ && size_ > 0) reallocate(size_);
  }

 private:
  struct Free {
    void operator()(T* data) const { std::free(data); }
  };

  void swap(PlainArray& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }
  void reallocate(std::size_t capacity) {
    void* const moved = std::realloc(data_.get(), capacity * sizeof(T));
    CHECK(moved != nullptr);
    static_cast<void>(data_.release());
    data_.reset(static_cast<T*>(moved));
    capacity_ = capacity;
  }

  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace seriesdb
