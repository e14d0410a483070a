// Open engines by number, so that other environments of the process can have them too. Any thread.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/engine.h"

namespace seriesdb {

// The number by which joinableEngine() finds it; the same one for the same engine.
std::uint32_t shareEngine(const std::shared_ptr<Engine>& engine);
// Null where the number is of none, or of one that is gone.
std::shared_ptr<Engine> joinableEngine(std::uint32_t number);

}  // namespace seriesdb
