// Entropy-coded integers: smaller than packed blocks, for rows that are written once and kept long.
//
// An integer is base + (cell << width) + low. The low `width` bits are packed as they are. The cell
// is one of 15 in a row, or an escape, and is coded by how often it occurs, with rANS: 32 states of
// 16 bits take turns, so that a vector of them decodes 32 cells at once. Frequencies are parts of
// 64, so that the tables of the decoder are registers. See docs/format/chunk.md.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "common/base/bytes.h"
#include "format/codec/bit_packing.h"
#include "format/codec/kernels.h"

namespace seriesdb {

// What an integer is whose cell is not among those that have a symbol: the cell follows apart.
inline constexpr std::uint8_t kEscapeSymbol = 15;
// Low bits at most.
inline constexpr unsigned kCodedWidthMax = 56;

// How a row of integers is to be coded.
struct CodedPlan {
  std::int64_t base;
  unsigned zero;  // The symbol of the cell that begins at the base.
  SymbolFrequencies frequencies;
  std::array<std::uint8_t, PackingPlan::kBlocksMax> widths;
  bool hasOneWidth;
  double size;  // About, in bytes.
};

// REQUIRES: 1 <= values.size() <= PackingPlan::kBlocksMax * kBlockSize
void planCoding(std::span<const std::int64_t> values, CodedPlan& plan);

// REQUIRES: `plan` was made for these values.
void appendCoded(std::span<const std::int64_t> values, const CodedPlan& plan, ByteBuffer& out);

// Reads coded blocks front to back from untrusted bytes, to the last of which they go.
class CodedReader {
 public:
  // For `count` values. Past it, the first call of next() tells whether the head was malformed.
  CodedReader(Bytes bytes, std::size_t count, const Kernels& kernels);

  // As PackedReader::next(). REQUIRES: all blocks but the last have kBlockSize values.
  bool next(std::size_t count, UnpackedBlock& block);
  // Whether the bytes end with the values that were read, and what was coded is whole.
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
  std::size_t index_ = 0;       // Of the next block.
  Bytes widths_;
  Bytes stream_;                // From the next coded byte to the end of all.
  std::size_t streamSize_ = 0;  // How many of them are coded.
  ByteReader lows_{{}};
  ByteReader escapes_{{}};
  SymbolTable table_;
  SymbolStates states_;
  const bool isOpen_;  // Last, since open() fills the others.
};

}  // namespace seriesdb
