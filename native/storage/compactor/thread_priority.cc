#include "storage/compactor/thread_priority.h"

#ifdef __linux__
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace seriesdb {

void standBack() {
#ifdef __linux__
  // A third of the share that others get; on Linux a thread has a nice value of its own.
  constexpr int kNice = 5;
  const auto thread = static_cast<id_t>(::syscall(SYS_gettid));
  static_cast<void>(::setpriority(PRIO_PROCESS, thread, kNice));
#endif
}

}  // namespace seriesdb
