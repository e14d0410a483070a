// A clock and shorthands for tests of the bucket.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "bucket/create.h"
#include "bucket/store/memory_store.h"

namespace seriesdb::test {

inline constexpr std::uint64_t kNoDeadline = std::numeric_limits<std::uint64_t>::max();

// A clock that only pauses move.
class TestPauser final : public Pauser {
 public:
  std::uint64_t nowNanos() const override { return now_; }
  bool pause(std::uint64_t nanos) override {
    now_ += nanos;
    pauses.push_back(nanos);
    return pauses.size() < pauseCountMax;
  }

  std::vector<std::uint64_t> pauses;
  std::size_t pauseCountMax =
      std::numeric_limits<std::size_t>::max();  // Then the caller is stopped.

 private:
  std::uint64_t now_ = 1'000'000'000;
};

inline ByteBuffer bytesOf(std::string_view text) {
  const Bytes bytes = asBytes(text);
  return {bytes.begin(), bytes.end()};
}

// An unconditional put.
inline StoreRequest putOf(const std::string& key, Bytes body) {
  StoreRequest request;
  request.op = StoreOp::kPut;
  request.key = key;
  request.body = body;
  request.bodyHash = sha256(body);
  return request;
}

inline StoreRequest requestOf(StoreOp op, const std::string& key) {
  StoreRequest request;
  request.op = op;
  request.key = key;
  return request;
}

}  // namespace seriesdb::test
