#include "common/base/receive_buffers.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>

namespace seriesdb {

namespace {

// Open descriptors have no gaps, except for closed ones. The search ends after a gap of this size.
constexpr int kGapMax = 1024;

// SO_BUF_LOCK of Linux 5.14, which older systems' headers lack: 0 returns the size to the kernel's
// control.
constexpr int kBufferLock = 72;

bool isOf(int descriptor, std::uint16_t port) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) != 0) return false;
  int isListening = 1;
  socklen_t flagSize = sizeof isListening;
  if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &flagSize) != 0) return false;
  if (isListening != 0) return false;
  if (address.ss_family == AF_INET) {
    return reinterpret_cast<const sockaddr_in&>(address).sin_port == htons(port);
  }
  return address.ss_family == AF_INET6 &&
         reinterpret_cast<const sockaddr_in6&>(address).sin6_port == htons(port);
}

}  // namespace

std::size_t narrowConnections(std::uint16_t port, bool isNarrow) {
#ifdef __linux__
  const int option = isNarrow ? SO_RCVBUF : kBufferLock;
  const int value = isNarrow ? kNarrowBufferSize : 0;
  std::size_t count = 0;
  for (int descriptor = 0, gap = 0; gap < kGapMax; ++descriptor) {
    errno = 0;
    if (isOf(descriptor, port)) {
      setsockopt(descriptor, SOL_SOCKET, option, &value, sizeof value);
      ++count;
    }
    gap = errno == EBADF ? gap + 1 : 0;
  }
  return count;
#else
  static_cast<void>(port);
  static_cast<void>(isNarrow);
  return 0;
#endif
}

}  // namespace seriesdb
