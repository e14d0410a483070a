// Splits pieces into blocks for the compression function, and adds the padding; the hash as text.
#include "common/digest/sha256.h"

#include <algorithm>

namespace seriesdb {
namespace {

// FIPS 180-4, 5.3.3.
constexpr sha256_kernels::State kInitialState = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
constexpr std::string_view kHashDigits = "0123456789abcdef";

}  // namespace

std::string Sha256::text() const {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::uint8_t byte : bytes) {
    text += kHashDigits[byte >> 4];
    text += kHashDigits[byte & 15];
  }
  return text;
}

std::optional<Sha256> Sha256::parse(std::string_view text) {
  Sha256 hash;
  if (text.size() != 2 * hash.bytes.size()) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t digit = kHashDigits.find(text[i]);
    if (digit == std::string_view::npos) return std::nullopt;
    std::uint8_t& byte = hash.bytes[i / 2];
    byte = static_cast<std::uint8_t>(std::size_t{byte} << 4 | digit);
  }
  return hash;
}

Sha256 readSha256(ByteReader& reader) {
  Sha256 hash;
  const Bytes bytes = reader.readBytes(hash.bytes.size());
  std::copy(bytes.begin(), bytes.end(), hash.bytes.begin());
  return hash;
}

Sha256 sha256(Bytes bytes) {
  Sha256Hasher hasher;
  hasher.update(bytes);
  return hasher.hash();
}

Sha256Hasher::Sha256Hasher() : Sha256Hasher(sha256_kernels::fastest()) {}

Sha256Hasher::Sha256Hasher(const sha256_kernels::Kernel& kernel)
    : kernel_(&kernel), state_(kInitialState) {}

void Sha256Hasher::update(Bytes bytes) {
  const std::size_t filled = size_ % kBlockSize;
  size_ += bytes.size();
  if (filled > 0) {
    const Bytes fitting = bytes.first(std::min(bytes.size(), kBlockSize - filled));
    std::ranges::copy(fitting, pending_.begin() + filled);
    if (filled + fitting.size() < kBlockSize) return;
    kernel_->compress(state_, pending_.data(), 1);
    bytes = bytes.subspan(fitting.size());
  }
  const std::size_t blocks = bytes.size() / kBlockSize;
  kernel_->compress(state_, bytes.data(), blocks);
  std::ranges::copy(bytes.subspan(blocks * kBlockSize), pending_.begin());
}

// FIPS 180-4, 5.1.1: a one bit, then zeros to the end of a block, whose last 64 bits are the number
// of hashed bits.
Sha256 Sha256Hasher::hash() const {
  constexpr std::size_t kLengthSize = 8;
  std::array<std::uint8_t, 2 * kBlockSize> tail{};
  const std::size_t filled = size_ % kBlockSize;
  std::copy_n(pending_.begin(), filled, tail.begin());
  tail[filled] = 0x80;
  const std::size_t blocks = filled < kBlockSize - kLengthSize ? 1 : 2;
  storeLe(tail.data() + blocks * kBlockSize - kLengthSize, __builtin_bswap64(size_ * 8));

  sha256_kernels::State state = state_;
  kernel_->compress(state, tail.data(), blocks);
  Sha256 hash;
  for (std::size_t i = 0; i < state.size(); ++i) {
    storeLe(hash.bytes.data() + 4 * i, __builtin_bswap32(state[i]));
  }
  return hash;
}

}  // namespace seriesdb
