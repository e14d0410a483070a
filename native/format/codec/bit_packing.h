// Patched bit-packing: integers in blocks of up to 128, each block with its own base and width.
//
//   +----------------+---------------+------------------------------------------+----------+
//   | width and flag | base (varint) | exceptions: n (1B), n places, n varints  | packed   |
//   +----------------+---------------+------------------------------------------+----------+
//
// The base is stored as its zigzag difference from the base of the block before. A residual is
// value - base modulo 2^64; its lowest `width` bits are packed, and what lies above them, where
// it is not zero, is an exception. So a rare outlier, high or low, does not widen its block.
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
  // Of the whole block, with its base relative to 'previousBase' of planBlock.
  std::uint32_t size;
};

// How a row of integers is to be packed, and how many bytes that takes.
struct PackingPlan {
  static constexpr std::size_t kBlocksMax = 64;
  std::array<BlockPlan, kBlocksMax> blocks;
  std::size_t size;
};

// REQUIRES: values.size() <= kBlocksMax * kBlockSize
void planPacking(std::span<const std::int64_t> values, PackingPlan& plan);

// REQUIRES: `plan` was made for these values.
void appendPacked(std::span<const std::int64_t> values, const PackingPlan& plan, ByteBuffer& out);

// One block as read: 128 residuals, exceptions put back; places past the block's count are junk.
struct UnpackedBlock {
  // Where they lie as they were packed, with room behind for a kernel; null: they are unpacked.
  const std::uint8_t* packed = nullptr;
  std::uint64_t base;
  unsigned width;  // No residual has more bits; 64 where there are exceptions.
  std::array<std::uint64_t, kBlockSize> residuals;
};

// Packs value i at bit i * width, least significant bit first; returns the end.
// REQUIRES: 1 <= width; no bit above `width` set; 8 writable bytes behind the end.
std::uint8_t* packBits(std::span<const std::uint64_t> values, unsigned width, std::uint8_t* to);

// Takes `count` values of `width` bits off the reader; places past the count are junk. Of malformed
// bytes in.ok() tells. REQUIRES: count <= kBlockSize, width <= 64
void unpackBits(ByteReader& in, std::size_t count, unsigned width, const Kernels& kernels,
                std::array<std::uint64_t, kBlockSize>& values);

// The sum of kBlockSize values of `width` bits, which are taken off the reader. The same holds.
std::uint64_t sumBits(ByteReader& in, unsigned width, const Kernels& kernels);

// Reads packed blocks front to back from untrusted bytes.
class PackedReader {
 public:
  PackedReader(ByteReader& in, const Kernels& kernels) : in_(in), kernels_(kernels) {}

  // The next block, which holds `count` values; false when the bytes are malformed.
  // REQUIRES: 1 <= count <= kBlockSize
  bool next(std::size_t count, UnpackedBlock& block);
  // The same, but what a kernel can unpack where it lies is left there.
  bool nextPacked(std::size_t count, UnpackedBlock& block);
  // Passes over a block of kBlockSize values and adds them to `sum`, modulo 2^64; false when the
  // bytes are malformed.
  bool pass(std::uint64_t& sum);

 private:
  static bool patch(Bytes places, ByteReader& highs, unsigned width, UnpackedBlock& block);

  ByteReader& in_;
  const Kernels& kernels_;
  std::uint64_t base_ = 0;
};

}  // namespace seriesdb
