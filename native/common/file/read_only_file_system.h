// The real disk for read-only use. Any change is refused with kIo, so everything opened through it
// writes no byte. Lives for the whole process.
//
// Its lock is shared: any number of processes may read a directory while none has it open for
// writing. If the lock file is missing, no process has opened the directory yet, and none is made.
// A file opened for appending reports its size, and its sync does nothing.
#pragma once

#include "common/file/file_system.h"

namespace seriesdb {

FileSystem& readOnlyFileSystem();

}  // namespace seriesdb
