// A shared value that stays as long as this holds it, and so all that is reached through it.
//
// What is reached must not outlive the holder, so a holder without a name gives nothing:
// `holder.current()->segments` does not compile, because the value, and the segments with it, would
// be gone where the statement ends, or sooner: in the body of a loop over them.
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
