#include "base/parallel.h"

#include <condition_variable>
#include <memory>
#include <mutex>

namespace seriesdb {
namespace {

// Outlives the call: a helper may be started when everything is done.
struct Parts {
  std::mutex mutex;
  std::condition_variable isDone;
  std::size_t next = 0;
  std::size_t finished = 0;
};

}  // namespace

void runParts(const PostTask& post, std::size_t count,
              const std::function<void(std::size_t)>& part) {
  if (count == 1) return part(0);
  const auto parts = std::make_shared<Parts>();
  // `part` is used only while the caller waits for what was taken.
  const auto work = [parts, count, &part] {
    std::unique_lock lock(parts->mutex);
    while (parts->next < count) {
      const std::size_t mine = parts->next++;
      lock.unlock();
      part(mine);
      lock.lock();
      if (++parts->finished == count) parts->isDone.notify_all();
    }
  };
  for (std::size_t i = 1; i < count; ++i) {
    if (!post(work)) break;
  }
  work();
  std::unique_lock lock(parts->mutex);
  parts->isDone.wait(lock, [&parts, count] { return parts->finished == count; });
}

}  // namespace seriesdb
