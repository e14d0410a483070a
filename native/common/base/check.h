// CHECK(condition): stops the process when our own invariant is broken. Always on.
#pragma once

namespace seriesdb {
// Prints the place and the condition to stderr and aborts.
[[noreturn]] void checkFailed(const char* file, int line, const char* condition);
}  // namespace seriesdb

#define CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::seriesdb::checkFailed(__FILE__, __LINE__, #condition))
