// Entropy-coded integers: smaller than packed blocks, for rows that are written once and kept for
// long.
//
// An integer is base + (cell << width) + low. The low `width` bits are packed. The cell is one of
// 15 in a row, or an escape, and is entropy-coded with rANS. 32 states of 16 bits take turns, so
// that a vector decodes 32 cells at once. Frequencies are in 64ths, so that the decoder's tables
// fit in registers. See docs/format/chunk.md.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "common/base/bytes.h"
#include "format/codec/bit_packing.h"
#include "format/codec/kernels.h"

namespace seriesdb {

// The symbol of a cell outside the window; the cell itself follows separately.
inline constexpr std::uint8_t kEscapeSymbol = 15;
// The most low bits.
inline constexpr unsigned kCodedWidthMax = 56;

// The coding of a row of integers.
struct CodedPlan {
  std::int64_t base;
  unsigned zero;  // The symbol of the cell that begins at the base.
  SymbolFrequencies frequencies;
  std::array<std::uint8_t, PackingPlan::kBlocksMax> widths;
  bool hasOneWidth;
  double size;  // Approximate, in bytes.
};

// REQUIRES: 1 <= values.size() <= PackingPlan::kBlocksMax * kBlockSize
void planCoding(std::span<const std::int64_t> values, CodedPlan& plan);

// REQUIRES: `plan` was made for these values.
void appendCoded(std::span<const std::int64_t> values, const CodedPlan& plan, ByteBuffer& out);

// Reads coded blocks front to back from untrusted bytes, which end with the last block.
class CodedReader {
 public:
  // For `count` values. If the head is malformed, the first call of next() returns false.
  CodedReader(Bytes bytes, std::size_t count, const Kernels& kernels);

  // As PackedReader::next(). REQUIRES: all blocks but the last have kBlockSize values.
  bool next(std::size_t count, UnpackedBlock& block);
  // True if all values were read, no bytes are left, and the coded stream ended intact.
  bool isComplete() const;

 private:
  bool open(Bytes bytes, std::size_t count);
  bool readSymbols(std::size_t count, std::uint8_t* symbols);
  bool readEscapes(const std::uint8_t* symbols, unsigned width, UnpackedBlock& block);

  const Kernels& kernels_;
  bool hasOneWidth_ = true;
  bool hasEscapes_ = false;
  unsigned zero_ = 0;
  std::uint64_t base_ = 0;
  std::size_t index_ = 0;  // The index of the next block.
  Bytes widths_;
  Bytes stream_;                // From the next coded byte to the end of all bytes.
  std::size_t streamSize_ = 0;  // How many of these bytes are coded symbols.
  ByteReader lows_{{}};
  ByteReader escapes_{{}};
  SymbolTable table_;
  SymbolStates states_;
  const bool isOpen_;  // Last, because open() fills the other members.
};

}  // namespace seriesdb
