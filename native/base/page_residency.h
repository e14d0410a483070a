// Whether bytes of a mapped file are in memory, so that reading them does not wait for the disk.
#pragma once

#include "base/bytes.h"

namespace seriesdb {

// Asks the kernel, which takes about a microsecond. False where that cannot be told, and for no
// bytes. What is in memory may leave it a moment later: an answer is a guess, though a good one.
bool isInMemory(Bytes mapped);

}  // namespace seriesdb
