// The times when a sync of the log is due, by a clock that the test sets.
#include "harness.h"
#include "storage/write/sync_schedule.h"

using namespace seriesdb;

TEST("the WAL sync is due when the interval since the last one is over") {
  SyncSchedule schedule(FsyncPolicy::kInterval, 250);
  EXPECT(schedule.isDue(1000));
  EXPECT(schedule.restMs(1000) == 250);
  EXPECT(!schedule.isDue(1249));
  EXPECT(schedule.restMs(1249) == 1);
  EXPECT(schedule.restMs(1250) == 0);
  EXPECT(schedule.isDue(1250));
  EXPECT(schedule.restMs(1300) == 200);
  EXPECT(schedule.restMs(99'000) == 0);
}

TEST("with policy always each batch is due") {
  SyncSchedule schedule(FsyncPolicy::kAlways, 250);
  EXPECT(schedule.isDue(5) && schedule.isDue(5));
  EXPECT(schedule.restMs(5) == 0);
}
