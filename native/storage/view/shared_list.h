// A list whose copies share their elements: a copy has constant cost.
//
// For values that are replaced whole and read often. Not thread-safe; different threads may use
// different copies.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace seriesdb {

template <typename T>
class SharedList {
 public:
  SharedList() = default;
  SharedList(std::vector<T> elements)
      : elements_(std::make_shared<const std::vector<T>>(std::move(elements))) {}

  auto begin() const { return all().begin(); }
  auto end() const { return all().end(); }
  std::size_t size() const { return all().size(); }
  bool empty() const { return all().empty(); }
  const T& operator[](std::size_t index) const { return all()[index]; }
  const T& back() const { return all().back(); }
  const std::vector<T>& all() const { return elements_ ? *elements_ : none(); }

  // These copy all elements.
  void push_back(T element) { append({std::move(element)}); }
  void append(std::vector<T> more) {
    std::vector<T> longer;
    longer.reserve(size() + more.size());
    longer.insert(longer.end(), begin(), end());
    for (T& one : more) longer.push_back(std::move(one));
    *this = SharedList(std::move(longer));
  }

 private:
  static const std::vector<T>& none() {
    static const std::vector<T> kNone;
    return kNone;
  }

  std::shared_ptr<const std::vector<T>> elements_;  // Null when empty.
};

}  // namespace seriesdb
