// The real disk for those who only look: whatever would change it is refused with kIo, so that what
// is opened through it writes no byte, whoever opens it. Lives for the whole process.
//
// Its lock is shared: any number may look at a directory at a time, while nobody has it open for
// writing. Where there is no file to lock nobody has had the directory open, and nothing is made.
// A file that is opened for appending tells its size, and a sync finds nothing to do.
#pragma once

#include "common/file/file_system.h"

namespace seriesdb {

FileSystem& readOnlyFileSystem();

}  // namespace seriesdb
