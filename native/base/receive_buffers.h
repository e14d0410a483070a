// How much the kernel keeps of what a client sent and nobody has read.
//
// The kernel lets a connection that is read quickly keep several megabytes, and the HTTP server
// takes all of them in one go. That is well while there are few such connections, and a stall when
// there are many.
#pragma once

#include <cstddef>
#include <cstdint>

namespace seriesdb {

// Less than half of what the HTTP server reads at a time (512 KiB), since the kernel grants twice
// the number: a read that fills the server's buffer makes it read again at once.
inline constexpr int kNarrowBufferSize = 240 * 1024;

// For every TCP connection of this process whose own port this is: bounds what the kernel keeps, or
// leaves it to the kernel again. Returns how many there are. Any thread; without effect where the
// system is not Linux.
std::size_t narrowConnections(std::uint16_t port, bool isNarrow);

}  // namespace seriesdb
