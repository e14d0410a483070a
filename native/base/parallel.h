// Runs the parts of one task on several threads of a pool, the caller's among them.
#pragma once

#include <cstddef>
#include <functional>

namespace seriesdb {

// Hands a task to another thread; false when it will not run.
using PostTask = std::function<bool(std::function<void()>)>;

// Those that a task may use: the caller's, and what runs what is posted.
struct Threads {
  PostTask post;          // Used where there are others.
  std::size_t count = 1;  // With the caller's; at least 1.
};

// Calls part(0) … part(count - 1), each once, and returns when all are done. The caller runs parts
// itself, so that this ends even if the pool is busy or stopped. There may be more parts than
// threads.
void runParts(const Threads& threads, std::size_t count,
              const std::function<void(std::size_t)>& part);

// Parts that are prepared side by side and taken one after the other.
struct OrderedParts {
  std::size_t count;
  std::size_t ahead;                             // How many may wait to be taken; at least 1.
  std::function<void(std::size_t)> prepare;      // On any thread, several at a time.
  std::function<bool(std::size_t)> take;         // On the caller's, in order; false ends it all.
};
// Prepares on as many threads as there are cores, up to `threadsMax`, of which the caller's is one:
// it prepares what nobody has begun while it would have to wait.
void runOrdered(const OrderedParts& parts, std::size_t threadsMax);

}  // namespace seriesdb
