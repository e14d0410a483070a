#include "storage/compactor/thread_priority.h"

#ifdef __linux__
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace seriesdb {

void standBack() {
#ifdef __linux__
  // Gives the thread a third of the normal CPU share. On Linux each thread has its own nice value.
  constexpr int kNice = 5;
  const auto thread = static_cast<id_t>(::syscall(SYS_gettid));
  static_cast<void>(::setpriority(PRIO_PROCESS, thread, kNice));
#endif
}

}  // namespace seriesdb
