// Encodes in snappy's block format (see snappy_decoder.h), greedily.
#pragma once

#include "base/bytes.h"

namespace seriesdb {

// Appends all of `text`, its size in front. REQUIRES: less than 4 GiB.
void appendSnappy(ByteBuffer& out, Bytes text);

}  // namespace seriesdb
