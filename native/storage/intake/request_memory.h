// The memory of one request in progress, counted by the engine until it is freed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace seriesdb {

class Engine;

// Not thread-safe. The engine must outlive it.
class RequestMemory {
 public:
  explicit RequestMemory(Engine& engine) : engine_(engine) {}
  ~RequestMemory() { set(0); }
  RequestMemory(const RequestMemory&) = delete;
  RequestMemory& operator=(const RequestMemory&) = delete;

  // Sets the bytes that the request holds.
  void set(std::size_t bytes);
  // Returns the bytes, which stay counted: the new owner must uncount them.
  std::size_t release() { return std::exchange(bytes_, 0); }

 private:
  Engine& engine_;
  std::size_t bytes_ = 0;
};

}  // namespace seriesdb
