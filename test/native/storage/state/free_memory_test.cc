// When freed memory is returned to the system.
#include "storage/state/free_memory.h"

#include "harness.h"

using namespace seriesdb;

TEST("free memory is returned only if a return is owed, and once more at the end") {
  EXPECT(!takeReturn(false));
  EXPECT(!takeReturn(true));
  oweReturn();
  EXPECT(takeReturn(false));
  EXPECT(!takeReturn(false));
  EXPECT(takeReturn(true));
  EXPECT(!takeReturn(true));
  EXPECT(!takeReturn(false));
}
