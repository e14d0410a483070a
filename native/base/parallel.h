// Runs the parts of one task on several threads of a pool, the caller's among them.
#pragma once

#include <cstddef>
#include <functional>

namespace seriesdb {

// Hands a task to another thread; false when it will not run.
using PostTask = std::function<bool(std::function<void()>)>;

// Calls part(0) … part(count - 1), each once, and returns when all are done. The caller runs parts
// itself, so that this ends even if the pool is busy or stopped.
void runParts(const PostTask& post, std::size_t count,
              const std::function<void(std::size_t)>& part);

}  // namespace seriesdb
