// Open engines by number, for other JavaScript environments of the process. Any thread.
#pragma once

#include <cstdint>
#include <memory>

#include "storage/engine/engine.h"

namespace seriesdb {

// The number that joinableEngine() accepts; the same one for the same engine.
std::uint32_t shareEngine(const std::shared_ptr<Engine>& engine);
// Null if no engine has the number, or it was closed.
std::shared_ptr<Engine> joinableEngine(std::uint32_t number);

}  // namespace seriesdb
