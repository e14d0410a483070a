// An array of trivial values that grows in place and does not clear new elements.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <utility>

namespace seriesdb {

// Memory of trivial values that grows in place. The kernel moves the pages of a large block, so
// nothing is copied. Pages are touched only when written. resizePlain() reallocates `block`, which
// may be null, from `before` to `size` bytes and keeps its content. Aborts if memory runs out.
void* resizePlain(void* block, std::size_t before, std::size_t size);
void freePlain(void* block, std::size_t size);

template <typename T>
class PlainArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  PlainArray() = default;
  PlainArray(std::initializer_list<T> values) { append(std::span(values.begin(), values.size())); }
  ~PlainArray() { freePlain(data_, capacity_ * sizeof(T)); }
  PlainArray(PlainArray&& other) noexcept { swap(other); }
  PlainArray& operator=(PlainArray&& other) noexcept {
    PlainArray(std::move(other)).swap(*this);
    return *this;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::size_t capacity() const { return capacity_; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](std::size_t place) { return data_[place]; }
  const T& operator[](std::size_t place) const { return data_[place]; }

  // New elements have unspecified values.
  void resize(std::size_t size) {
    if (size > capacity_) reallocate(std::max(size, capacity_ + capacity_ / 2));
    size_ = size;
  }
  void append(std::span<const T> values) {
    const std::size_t place = size_;
    resize(size_ + values.size());
    std::ranges::copy(values, data() + place);
  }
  void add(T value) { append(std::span(&value, 1)); }
  friend bool operator==(const PlainArray& a, std::span<const T> b) {
    return std::ranges::equal(a, b);
  }
  friend bool operator==(const PlainArray& a, const PlainArray& b) {
    return a == std::span<const T>(b);
  }
  // Frees memory after the end.
  void fit() {
    if (size_ < capacity_ && size_ > 0) reallocate(size_);
  }
  // Frees a MiB from the end, or the last two, which takes 0.1 ms; the content is lost. True if
  // memory is left.
  bool freePart() {
    constexpr std::size_t kPart = (std::size_t{1} << 20) / sizeof(T);
    size_ = 0;
    if (capacity_ > 2 * kPart) {
      reallocate(capacity_ - kPart);
    } else {
      *this = {};
    }
    return capacity_ > 0;
  }

 private:
  void swap(PlainArray& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }
  void reallocate(std::size_t capacity) {
    data_ = static_cast<T*>(resizePlain(data_, capacity_ * sizeof(T), capacity * sizeof(T)));
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace seriesdb
