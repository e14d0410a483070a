// A shared value that lives as long as its holder.
//
// References into the value must not outlive the holder. So a temporary holder cannot be
// dereferenced: `holder.current()->segments` does not compile. The value would be freed at the end
// of the statement, or earlier: in the body of a loop over it.
#pragma once

#include <memory>
#include <utility>

namespace seriesdb {

template <typename T>
class Pinned {
 public:
  // REQUIRES: not null.
  explicit Pinned(std::shared_ptr<T> value) : value_(std::move(value)) {}

  T& operator*() const& { return *value_; }
  T* operator->() const& { return value_.get(); }
  T& operator*() const&& = delete;
  T* operator->() const&& = delete;

  const std::shared_ptr<T>& shared() const& { return value_; }
  const std::shared_ptr<T>& shared() const&& = delete;

 private:
  std::shared_ptr<T> value_;
};

}  // namespace seriesdb
