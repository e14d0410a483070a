// Runs the parts of one task on several pool threads, including the caller's.
#pragma once

#include <cstddef>
#include <functional>

namespace seriesdb {

// Posts a task to another thread; false if it will not run.
using PostTask = std::function<bool(std::function<void()>)>;

// The threads that a task may use: the caller's, and the threads of `post`.
struct Threads {
  PostTask post;          // Used only if count > 1.
  std::size_t count = 1;  // Including the caller's; at least 1.
};

// Calls part(0) … part(count - 1) once each, and returns when all are done. The caller runs
// parts, too, so this ends even if the pool is busy or stopped. There may be more parts than
// threads.
void runParts(const Threads& threads, std::size_t count,
              const std::function<void(std::size_t)>& part);

// Parts that are prepared in parallel and taken in order.
struct OrderedParts {
  std::size_t count;
  std::size_t ahead;                         // The most prepared parts that wait; at least 1.
  std::function<void(std::size_t)> prepare;  // On any thread, several at a time.
  // On the caller's thread, in order; false ends the run.
  std::function<bool(std::size_t)> take;
};
// Prepares on one thread per core, up to `threadsMax`, including the caller's. Instead of waiting,
// the caller prepares parts that no thread has begun.
void runOrdered(const OrderedParts& parts, std::size_t threadsMax);
// The same on up to `threads` threads for parts that mostly wait, such as for requests.
void runOrderedWaits(const OrderedParts& parts, std::size_t threads);

}  // namespace seriesdb
