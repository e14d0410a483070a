// Sockets below Node.js: how much the kernel keeps of what a client sent and nobody has read, and
// what it takes of an answer without a wait.
//
// The kernel lets a connection that is read quickly keep several megabytes, and the HTTP server
// takes all of them in one go. That is well while there are few such connections, and a stall when
// there are many.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace seriesdb {

// Less than half of what the HTTP server reads at a time (512 KiB), since the kernel grants twice
// the number: a read that fills the server's buffer makes it read again at once.
inline constexpr int kNarrowBufferSize = 240 * 1024;

// For every TCP connection of this process whose own port this is: bounds what the kernel keeps, or
// leaves it to the kernel again. Returns how many there are. Any thread; without effect where the
// system is not Linux.
std::size_t narrowConnections(std::uint16_t port, bool isNarrow);

// Bytes that the socket took; -1: none, and whoever asks again is told why.
inline ssize_t sendPieces(int descriptor, std::span<iovec> pieces) {
#ifdef __linux__
  msghdr message{};
  message.msg_iov = pieces.data();
  message.msg_iovlen = pieces.size();
  return sendmsg(descriptor, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
#else
  static_cast<void>(descriptor);
  static_cast<void>(pieces);
  return -1;
#endif
}

}  // namespace seriesdb
