// How much of a busy machine a thread gets.
#pragma once

namespace seriesdb {

// The calling thread stands back where all cores are in use. Does nothing where the system knows no
// priorities of threads.
void standBack();

}  // namespace seriesdb
