// Sockets below Node.js: the kernel's receive buffers, and writes that do not wait.
//
// The kernel lets a fast-read connection buffer several megabytes, and the HTTP server takes all of
// them at once. With few connections that is fast; with many it is a stall.
#pragma once

#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#ifdef __linux__
#include <linux/sockios.h>
#endif

#include <cstddef>
#include <cstdint>
#include <span>

namespace seriesdb {

// Less than half of the HTTP server's read size (512 KiB), because the kernel grants twice the
// number. A read that fills the server's buffer would make it read again at once.
inline constexpr int kNarrowBufferSize = 240 * 1024;

// For every TCP connection of this process with this local port: limits the kernel's receive
// buffer, or restores the kernel's default. Returns the number of connections. Any thread; no
// effect outside Linux.
std::size_t narrowConnections(std::uint16_t port, bool isNarrow);

// Sent bytes that the peer's system has not confirmed, with the FIN; 0 if the system cannot tell.
inline int unconfirmedSize(int descriptor) {
  int count = 0;
#ifdef __linux__
  if (ioctl(descriptor, SIOCOUTQ, &count) != 0) return 0;
#else
  static_cast<void>(descriptor);
#endif
  return count;
}

// Bytes that the socket accepted; -1: none, a later write reports the reason.
inline ssize_t sendPieces(int descriptor, std::span<iovec> pieces) {
#ifdef __linux__
  msghdr message{};
  message.msg_iov = pieces.data();
  // glibc has a size here, musl an int.
  message.msg_iovlen = static_cast<decltype(message.msg_iovlen)>(pieces.size());
  return sendmsg(descriptor, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
#else
  static_cast<void>(descriptor);
  static_cast<void>(pieces);
  return -1;
#endif
}

}  // namespace seriesdb
