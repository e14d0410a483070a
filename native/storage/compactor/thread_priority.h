// The CPU priority of a thread.
#pragma once

namespace seriesdb {

// The calling thread yields to others if all cores are busy. No effect on systems without thread
// priorities.
void standBack();

}  // namespace seriesdb
