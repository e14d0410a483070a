// Encodes in snappy's block format (see snappy_decoder.h), greedily.
#pragma once

#include "common/base/bytes.h"

namespace seriesdb {

// Appends all of `text`, its size in front. REQUIRES: less than 4 GiB.
void appendSnappy(ByteBuffer& out, Bytes text);

// The same of a text that is encoded in parts: first the size of all of it, then each of its parts.
void appendSnappySize(ByteBuffer& out, std::size_t size);
void appendSnappyPart(ByteBuffer& out, Bytes part);

}  // namespace seriesdb
