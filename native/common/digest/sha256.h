// SHA-256 (FIPS 180-4): what objects of the store are named by. The same as `sha256sum` gives.
// Hardware-accelerated where the processor has the instructions (chosen at run time).
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/bytes.h"
#include "common/digest/sha256_kernels.h"

namespace seriesdb {

// A hash. Ordered as its bytes are, and so as its text is; zeros are the hash of nothing known.
struct Sha256 {
  std::array<std::uint8_t, 32> bytes{};

  // 64 lowercase hexadecimal digits.
  std::string text() const;
  // The hash of which `text` is the text; nothing for any other text, so that each has one.
  static std::optional<Sha256> parse(std::string_view text);

  friend auto operator<=>(const Sha256&, const Sha256&) = default;
};

Sha256 sha256(Bytes bytes);

// The next 32 bytes; of what is cut short zeros, and the reader is not ok.
Sha256 readSha256(ByteReader& reader);

// Hashes bytes that come in pieces, of any sizes.
class Sha256Hasher {
 public:
  Sha256Hasher();
  // With this kernel, which must run on this processor; for tests and benchmarks.
  explicit Sha256Hasher(const sha256_kernels::Kernel& kernel);

  void update(Bytes bytes);
  // Of all bytes so far. More may follow.
  Sha256 hash() const;

 private:
  static constexpr std::size_t kBlockSize = sha256_kernels::kBlockSize;

  const sha256_kernels::Kernel* kernel_;
  sha256_kernels::State state_;
  std::array<std::uint8_t, kBlockSize> pending_;  // Of a block that is not whole yet.
  std::uint64_t size_ = 0;
};

}  // namespace seriesdb

// Any of a hash's bytes are as good a hash for a table in memory.
template <>
struct std::hash<seriesdb::Sha256> {
  std::size_t operator()(const seriesdb::Sha256& value) const noexcept {
    return seriesdb::loadLe<std::size_t>(value.bytes.data());
  }
};
