// Patched bit-packing: integers in blocks of up to 128, each block with its own base and width.
//
//   +----------------+---------------+------------------------------------------+----------+
//   | width and flag | base (varint) | exceptions: n (1B), n places, n varints  | packed   |
//   +----------------+---------------+------------------------------------------+----------+
//
// The base is stored as its zigzag difference from the previous block's base. A residual is value -
// base modulo 2^64. Its lowest `width` bits are packed; a non-zero part above them is an exception.
// So a rare outlier, high or low, does not widen its block.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "common/base/bytes.h"
#include "format/codec/kernels.h"

namespace seriesdb {

struct BlockPlan {
  std::int64_t base;
  std::uint8_t width;
  std::uint8_t exceptions;
  // Bytes of the whole block, with its base relative to 'previousBase' of planBlock.
  std::uint32_t size;
};

// The packing of a row of integers, and its size in bytes.
struct PackingPlan {
  static constexpr std::size_t kBlocksMax = 64;
  std::array<BlockPlan, kBlocksMax> blocks;
  std::size_t size;
};

// REQUIRES: values.size() <= kBlocksMax * kBlockSize
void planPacking(std::span<const std::int64_t> values, PackingPlan& plan);

// REQUIRES: `plan` was made for these values.
void appendPacked(std::span<const std::int64_t> values, const PackingPlan& plan, ByteBuffer& out);

// A block as read: 128 residuals, exceptions included. Entries past the block's count are
// undefined.
struct UnpackedBlock {
  // The packed residuals in place, if a kernel may read past them; null: they are in `residuals`.
  const std::uint8_t* packed = nullptr;
  std::uint64_t base;
  unsigned width;  // No residual has more bits; 64 if there are exceptions.
  std::array<std::uint64_t, kBlockSize> residuals;
};

// Packs value i at bit i * width, least significant bit first; returns the end.
// REQUIRES: 1 <= width; no bit above `width` set; 8 writable bytes behind the end.
std::uint8_t* packBits(std::span<const std::uint64_t> values, unsigned width, std::uint8_t* to);

// Takes `count` values of `width` bits off the reader; entries past the count are undefined. If the
// bytes are malformed, in.ok() is false. REQUIRES: count <= kBlockSize, width <= 64
void unpackBits(ByteReader& in, std::size_t count, unsigned width, const Kernels& kernels,
                std::array<std::uint64_t, kBlockSize>& values);

// Takes kBlockSize values of `width` bits off the reader and returns their sum. If the bytes are
// malformed, in.ok() is false.
std::uint64_t sumBits(ByteReader& in, unsigned width, const Kernels& kernels);

// Reads packed blocks front to back from untrusted bytes.
class PackedReader {
 public:
  PackedReader(ByteReader& in, const Kernels& kernels) : in_(in), kernels_(kernels) {}

  // Reads the next block of `count` values; false if the bytes are malformed.
  // REQUIRES: 1 <= count <= kBlockSize
  bool next(std::size_t count, UnpackedBlock& block);
  // The same, but leaves the residuals packed if a kernel can unpack them in place.
  bool nextPacked(std::size_t count, UnpackedBlock& block);
  // Skips a block of kBlockSize values and adds them to `sum`, modulo 2^64; false if the bytes are
  // malformed.
  bool pass(std::uint64_t& sum);

 private:
  static bool patch(Bytes places, ByteReader& highs, unsigned width, UnpackedBlock& block);

  ByteReader& in_;
  const Kernels& kernels_;
  std::uint64_t base_ = 0;
};

}  // namespace seriesdb
