// Changes inputs without knowing what they mean: bits, integers that are edges, pieces that move,
// are doubled, lost or taken from another input.
#pragma once

#include <span>

#include "target.h"

namespace seriesdb::fuzz {

// Inputs never grow past this.
inline constexpr std::size_t kInputSizeMax = 4096;

// One to a few changes. `other` is an input to take pieces from.
void mutate(ByteBuffer& input, Bytes other, std::span<const std::string_view> words,
            Random& random);

}  // namespace seriesdb::fuzz
