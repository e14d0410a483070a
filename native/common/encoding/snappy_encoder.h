// Encodes in snappy's block format (see snappy_decoder.h), greedily.
#pragma once

#include "common/base/bytes.h"

namespace seriesdb {

// Appends all of `text`, with its size in front. REQUIRES: less than 4 GiB.
void appendSnappy(ByteBuffer& out, Bytes text);

// The same for a text in parts: append its total size first, then each part.
void appendSnappySize(ByteBuffer& out, std::size_t size);
void appendSnappyPart(ByteBuffer& out, Bytes part);

}  // namespace seriesdb
