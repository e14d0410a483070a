// Mutates inputs without knowing their meaning: bits, edge-case integers, and pieces that are
// moved, doubled, removed or copied from another input.
#pragma once

#include <span>

#include "target.h"

namespace seriesdb::fuzz {

// Inputs never grow past this.
inline constexpr std::size_t kInputSizeMax = 4096;

// Makes one to a few changes. `other` is an input to take pieces from.
void mutate(ByteBuffer& input, Bytes other, std::span<const std::string_view> words,
            Random& random);

}  // namespace seriesdb::fuzz
