// Writes and reads packed blocks; bit_packing.h draws their layout.
#include "format/codec/bit_packing.h"

#include <algorithm>

#include "common/base/check.h"

namespace seriesdb {
namespace {

constexpr std::uint8_t kHasExceptions = 0x80;

std::uint64_t lowMask(unsigned width) {
  return width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

// The bytes of a block that a kernel may read.
std::size_t readableOf(unsigned width) { return kBlockSize * width / 8 + kUnpackSlack; }

// Calls take(bytes) with the packed values; a kernel may read past their end.
template <typename Take>
void withSlack(Bytes packed, Bytes behind, unsigned width, Take take) {
  const std::size_t readable = readableOf(width);
  if (behind.size() >= readable) {
    take(packed.data());
    return;
  }
  // Near the end the kernel would read past our bytes, so it gets a copy with room behind.
  std::array<std::uint8_t, kBlockSize * 8 + kUnpackSlack> copy;
  std::copy(packed.begin(), packed.end(), copy.begin());
  std::fill(copy.begin() + static_cast<std::ptrdiff_t>(packed.size()),
            copy.begin() + static_cast<std::ptrdiff_t>(readable), std::uint8_t{0});
  take(copy.data());
}

// Writes the exceptions of a block: their places, then their parts above the width.
std::uint8_t* writeExceptions(std::span<const std::uint64_t> residuals, const BlockPlan& block,
                              std::uint8_t* to) {
  *to++ = block.exceptions;
  std::uint8_t* highs = to + block.exceptions;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    const std::int64_t high = static_cast<std::int64_t>(residuals[i]) >> block.width;
    if (high == 0) continue;
    *to++ = static_cast<std::uint8_t>(i);
    highs = writeVarint(highs, zigzag(high));
  }
  CHECK(to <= highs);
  return highs;
}

}  // namespace

std::uint8_t* packBits(std::span<const std::uint64_t> values, unsigned width, std::uint8_t* to) {
  std::uint64_t pending = 0;
  unsigned used = 0;
  for (const std::uint64_t value : values) {
    pending |= value << used;
    used += width;
    if (used < 64) continue;
    storeLe(to, pending);
    to += 8;
    used -= 64;
    // Two shifts, because a shift by 64 is undefined.
    pending = used == 0 ? 0 : value >> 1 >> (width - used - 1);
  }
  storeLe(to, pending);
  return to + (used + 7) / 8;
}

void appendPacked(std::span<const std::int64_t> values, const PackingPlan& plan, ByteBuffer& out) {
  const std::size_t start = out.size();
  out.resize(start + plan.size + 8 * (1 + kVarintSizeMax));
  std::uint8_t* to = out.data() + start;
  std::uint64_t previousBase = 0;
  std::array<std::uint64_t, kBlockSize> residuals;
  for (std::size_t at = 0; at < values.size(); at += kBlockSize) {
    const BlockPlan& block = plan.blocks[at / kBlockSize];
    const std::size_t count = std::min(kBlockSize, values.size() - at);
    const auto base = static_cast<std::uint64_t>(block.base);
    for (std::size_t i = 0; i < count; ++i) {
      residuals[i] = static_cast<std::uint64_t>(values[at + i]) - base;
    }
    const std::span filled = std::span(residuals).first(count);

    *to++ = block.exceptions > 0 ? block.width | kHasExceptions : block.width;
    to = writeVarint(to, zigzag(static_cast<std::int64_t>(base - previousBase)));
    previousBase = base;
    if (block.exceptions > 0) {
      to = writeExceptions(filled, block, to);
      for (std::uint64_t& residual : filled) residual &= lowMask(block.width);
    }
    if (block.width > 0) to = packBits(filled, block.width, to);
  }
  const auto size = static_cast<std::size_t>(to - (out.data() + start));
  CHECK(size == plan.size);
  out.resize(start + size);
}

bool PackedReader::next(std::size_t count, UnpackedBlock& block) {
  if (!nextPacked(count, block)) return false;
  if (block.packed != nullptr) kernels_.unpack(block.packed, block.width, block.residuals.data());
  return true;
}

bool PackedReader::nextPacked(std::size_t count, UnpackedBlock& block) {
  const auto head = in_.readLe<std::uint8_t>();
  const unsigned width = head & 0x7f;
  const bool hasExceptions = (head & kHasExceptions) != 0;
  if (width > 64 || (hasExceptions && width == 64)) return false;

  base_ += static_cast<std::uint64_t>(unzigzag(in_.readVarint()));
  block.base = base_;
  block.width = hasExceptions ? 64 : width;
  block.packed = nullptr;
  if (!hasExceptions) {
    const Bytes behind = in_.rest();
    if (behind.size() >= readableOf(width)) {
      block.packed = behind.data();
      static_cast<void>(in_.readBytes((count * width + 7) / 8));
    } else {
      unpackBits(in_, count, width, kernels_, block.residuals);
    }
    return in_.ok();
  }

  // The exceptions precede the packed bits. Read the bits first, then add the exceptions.
  const Bytes places = in_.readBytes(in_.readLe<std::uint8_t>());
  if (!in_.ok() || places.size() > count) return false;
  ByteReader highs(in_.rest());
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] >= count) return false;
    static_cast<void>(in_.readVarint());
  }
  unpackBits(in_, count, width, kernels_, block.residuals);
  return in_.ok() && patch(places, highs, width, block);
}

// An exception adds its part above the width, whatever its place.
bool PackedReader::pass(std::uint64_t& sum) {
  const auto head = in_.readLe<std::uint8_t>();
  const unsigned width = head & 0x7f;
  const bool hasExceptions = (head & kHasExceptions) != 0;
  if (width > 64 || (hasExceptions && width == 64)) return false;

  base_ += static_cast<std::uint64_t>(unzigzag(in_.readVarint()));
  sum += base_ * kBlockSize;
  if (hasExceptions) {
    const Bytes places = in_.readBytes(in_.readLe<std::uint8_t>());
    for (std::size_t i = 0; i < places.size(); ++i) {
      sum += static_cast<std::uint64_t>(unzigzag(in_.readVarint())) << width;
    }
  }
  sum += sumBits(in_, width, kernels_);
  return in_.ok();
}

void unpackBits(ByteReader& in, std::size_t count, unsigned width, const Kernels& kernels,
                std::array<std::uint64_t, kBlockSize>& values) {
  const Bytes behind = in.rest();
  const Bytes packed = in.readBytes((count * width + 7) / 8);
  if (!in.ok() || width == 0) {
    values.fill(0);
    return;
  }
  withSlack(packed, behind, width,
            [&](const std::uint8_t* from) { kernels.unpack(from, width, values.data()); });
}

std::uint64_t sumBits(ByteReader& in, unsigned width, const Kernels& kernels) {
  const Bytes behind = in.rest();
  const Bytes packed = in.readBytes(kBlockSize * width / 8);
  if (!in.ok() || width == 0) return 0;
  std::uint64_t sum = 0;
  withSlack(packed, behind, width,
            [&](const std::uint8_t* from) { sum = kernels.sumOf(from, width); });
  return sum;
}

bool PackedReader::patch(Bytes places, ByteReader& highs, unsigned width, UnpackedBlock& block) {
  for (const std::uint8_t place : places) {
    const auto high = static_cast<std::uint64_t>(unzigzag(highs.readVarint()));
    block.residuals[place] += high << width;
  }
  return highs.ok();
}

}  // namespace seriesdb
