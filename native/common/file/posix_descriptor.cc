#include "common/file/posix_descriptor.h"

#include <fcntl.h>

#include <system_error>

namespace seriesdb::posix {

StatusCode codeOf(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EROFS:  // Temporary: until the mount is writable again.
      return StatusCode::kStorageUnavailable;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return StatusCode::kExhausted;
    default:
      return StatusCode::kIo;
  }
}

std::string reasonOf(int error) {
  std::string reason = std::generic_category().message(error);
  if (error == EMFILE) reason += "; raise the limit with ulimit -n";
  if (error == ENFILE) reason += "; raise fs.file-max, the limit of the whole machine";
  return reason;
}

Status failure(std::string_view verb, const std::string& path, int error) {
  std::string message = "cannot ";
  message += verb;
  message += ' ';
  message += path;
  message += ": ";
  message += reasonOf(error);
  return {codeOf(error), std::move(message)};
}

Result<Descriptor> open(const std::string& path, int flags) {
  constexpr mode_t kFileMode = 0640;
  const int number = retry([&] { return ::open(path.c_str(), flags | O_CLOEXEC, kFileMode); });
  if (number < 0) return failure("open", path, errno);
  return Descriptor(number);
}

}  // namespace seriesdb::posix
