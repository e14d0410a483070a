// Owned file descriptors and errno as a Status: what the files of the POSIX file system share.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/status.h"

namespace seriesdb::posix {

// Closes in the destructor. -1 means none.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    // Linux frees the number also when close fails, and callers have synced what must last.
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

// Calls `call` again for as long as a signal interrupts it.
template <typename Call>
auto retry(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

// No room left and a read-only mount are kStorageUnavailable, no descriptors or memory kExhausted,
// all else kIo.
StatusCode codeOf(int error);
// Why, and what to do about it where the operator can do something.
std::string reasonOf(int error);
// "cannot <verb> <path>: <reason>".
Status failure(std::string_view verb, const std::string& path, int error);

// Opens with O_CLOEXEC; a file made by it is readable for the owner and its group.
Result<Descriptor> open(const std::string& path, int flags);

}  // namespace seriesdb::posix
