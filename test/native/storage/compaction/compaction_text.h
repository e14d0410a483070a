// States and plans as lines of text, for transcripts.
//
//   L0 #12 seq 5..9 t 0..8d 40M          a segment with samples from 0 up to before 8 d, of 40 MiB;
//                                        c1/3 in place of L0: in slot 3 of class 1
//   L0 #1..#8 seq 1 t 0..1h 1M           eight of them, with the records 1, 2…
//     … final closed 9d codecs 1 damaged frozen 3h arrived 1h samples 100 erased 8 counted 8
//       masked 13 since 7 keep 3d expired 1M
//   gone #12     class 2 keep 30d version 1     version 1     delete 7 t 0..1d age 6d refs 10
//   now 9d       (the wall clock, and the newest sample)      newest 8d       idle 10m
//   unit s       free 1G     reserve 64M     memtable 256M    codecs 1        full on
//   retention 90d            cap 1M          factor 2         refs 100
//   wait 1h      time passes for all
//   choose       prints the plan
//   withheld     prints how many expired segments a damaged one keeps from being dropped
//   run          prints each plan and carries it out, until there is none
#pragma once

#include <string>

#include "compaction_model.h"

namespace seriesdb::test {

// Executes one line and returns its output, with a line end after each line; an unknown line is
// reported there. `unit` comes before all others.
std::string play(CompactionModel& model, const std::string& line);

std::string textOf(const CompactionPlan& plan, TimestampUnit unit);

}  // namespace seriesdb::test
