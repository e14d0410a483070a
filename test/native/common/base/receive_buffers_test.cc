// The receive buffers of one port's connections are narrowed and restored, and no others.
#include "common/base/receive_buffers.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "common/base/status.h"
#include "harness.h"

using namespace seriesdb;

namespace {

// A listener on a free port of the loopback, with one connection.
class Pair {
 public:
  Pair() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    CHECK(bind(listener_, any, sizeof address) == 0);
    CHECK(listen(listener_, 4) == 0);
    socklen_t size = sizeof address;
    CHECK(getsockname(listener_, any, &size) == 0);
    port_ = ntohs(address.sin_port);
    CHECK(connect(client_, any, sizeof address) == 0);
    server_ = accept(listener_, nullptr, nullptr);
    CHECK(server_ >= 0);
  }
  ~Pair() {
    for (const int one : {listener_, client_, server_}) close(one);
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  std::uint16_t port() const { return port_; }
  int listenerSize() const { return sizeOf(listener_); }
  int clientSize() const { return sizeOf(client_); }
  int serverSize() const { return sizeOf(server_); }
  // Sends as much as the peer accepts without reading.
  std::size_t fill() const {
    const std::string block(65536, 'x');
    std::size_t sent = 0;
    for (;;) {
      const auto size = send(client_, block.data(), block.size(), MSG_DONTWAIT);
      if (size <= 0) return sent;
      sent += static_cast<std::size_t>(size);
    }
  }
  std::size_t readOnce() const {
    std::vector<char> buffer(std::size_t{4} << 20);
    const auto size = recv(server_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    return size > 0 ? static_cast<std::size_t>(size) : 0;
  }

 private:
  static int sizeOf(int descriptor) {
    int value = 0;
    socklen_t size = sizeof value;
    CHECK(getsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &value, &size) == 0);
    return value;
  }

  int listener_ = socket(AF_INET, SOCK_STREAM, 0);
  int client_ = socket(AF_INET, SOCK_STREAM, 0);
  int server_ = -1;
  std::uint16_t port_ = 0;
};

}  // namespace

TEST("narrowing shrinks the receive buffers of one port's connections and of no others") {
  const Pair one;
  const Pair other;
  const int before = other.serverSize();
  const int listener = one.listenerSize();
  EXPECT(narrowConnections(one.port(), true) == 1);
  EXPECT(one.serverSize() <= 2 * kNarrowBufferSize);
  EXPECT(one.serverSize() != before);
  EXPECT(other.serverSize() == before);
  EXPECT(one.listenerSize() == listener);
  // One read never returns as much as the server's buffer holds.
  for (int round = 0; round < 50; ++round) {
    EXPECT(one.fill() > 0 || round > 0);
    EXPECT(one.readOnce() < 524'288);
  }
  EXPECT(narrowConnections(one.port(), false) == 1);
}
