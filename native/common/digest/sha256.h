// SHA-256 (FIPS 180-4), which names the objects of the store. Same result as `sha256sum`.
// Hardware-accelerated if the processor has the instructions (chosen at run time).
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

// A hash, ordered by its bytes and so by its text. All zeros mean no hash.
struct Sha256 {
  std::array<std::uint8_t, 32> bytes{};

  // 64 lowercase hexadecimal digits.
  std::string text() const;
  // The hash with this text; nullopt for any other text, so that each hash has one text.
  static std::optional<Sha256> parse(std::string_view text);

  friend auto operator<=>(const Sha256&, const Sha256&) = default;
};

Sha256 sha256(Bytes bytes);

// The next 32 bytes. If fewer are left, zeros, and the reader is not ok.
Sha256 readSha256(ByteReader& reader);

// Hashes bytes that come in pieces of any sizes.
class Sha256Hasher {
 public:
  Sha256Hasher();
  // Uses this kernel, which must run on this processor; for tests and benchmarks.
  explicit Sha256Hasher(const sha256_kernels::Kernel& kernel);

  void update(Bytes bytes);
  // The hash of all bytes so far; more may follow.
  Sha256 hash() const;

 private:
  static constexpr std::size_t kBlockSize = sha256_kernels::kBlockSize;

  const sha256_kernels::Kernel* kernel_;
  sha256_kernels::State state_;
  std::array<std::uint8_t, kBlockSize> pending_;  // The beginning of an incomplete block.
  std::uint64_t size_ = 0;
};

}  // namespace seriesdb

// Any bytes of a hash serve as a hash for tables in memory.
template <>
struct std::hash<seriesdb::Sha256> {
  std::size_t operator()(const seriesdb::Sha256& value) const noexcept {
    return seriesdb::loadLe<std::size_t>(value.bytes.data());
  }
};
