// Owned file descriptors, and errno as a Status, for all code of the POSIX file system.
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
    // Linux frees the number even if close fails; callers have synced important data.
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

// Repeats `call` as long as a signal interrupts it.
template <typename Call>
auto retry(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

// A full disk or a read-only mount is kStorageUnavailable, lack of descriptors or memory is
// kExhausted, everything else is kIo.
StatusCode codeOf(int error);
// The reason, with a hint if the operator can do something about it.
std::string reasonOf(int error);
// "cannot <verb> <path>: <reason>".
Status failure(std::string_view verb, const std::string& path, int error);

// Opens with O_CLOEXEC; the owner and the group may read a file that it makes.
Result<Descriptor> open(const std::string& path, int flags);

}  // namespace seriesdb::posix
