// The WAL as its shipper reads it.
#include "shipping/wal_tail.h"

#include <string>
#include <vector>

#include "bucket/group.h"
#include "format/log/log_frame.h"
#include "format/log/wal_reader.h"
#include "harness.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

constexpr std::uint8_t kAnyType = 1;

// A log that a test writes, with what its records are.
struct TailedLog {
  TailedLog() { wal = WalWriter::create(fs, directory, 3, next).value(); }

  void append(std::size_t size) {
    ByteBuffer records;
    appendRecord(records, kAnyType, next++, ByteBuffer(size, 7));
    REQUIRE(wal->append(records).ok() && wal->sync().ok());
  }
  // All records from `from` on, run by run.
  std::vector<RecordRun> runsFrom(WalPlace from) {
    WalTail tail(fs, directory, from);
    std::vector<RecordRun> runs;
    for (;;) {
      auto run = tail.next(wal->settledEnd());
      EXPECT(run.ok());
      if (!run.ok() || !run.value()) return runs;
      tail.moveTo(run.value()->end);
      runs.push_back(std::move(*run.value()));
    }
  }

  FileSystem& fs = posixFileSystem();
  const std::string directory = temporaryDirectory();
  std::uint64_t next = 17;
  std::unique_ptr<WalWriter> wal;
};

}  // namespace

TEST("runs have all records of the log in order, each of one file") {
  TailedLog log;
  for (int file = 0; file < 3; ++file) {
    for (std::size_t i = 0; i < 5; ++i) log.append(100 * i);
    REQUIRE(log.wal->rotate(log.next).ok());
  }
  log.append(1);
  const auto runs = log.runsFrom({3, 0});
  EXPECT(runs.size() == 4);
  std::uint64_t sequence = 17;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    EXPECT(runs[i].file == 3 + i && runs[i].isFileBegin && !runs[i].isFull);
    EXPECT(runs[i].firstSequence == sequence);
    sequence = runs[i].lastSequence + 1;
  }
  EXPECT(sequence == log.next);
  EXPECT(walBytesBetween(log.fs, log.directory, {3, 0}, log.wal->settledEnd()) ==
         runs[0].records.size() + runs[1].records.size() + runs[2].records.size() +
             runs[3].records.size());
}

TEST("a run has at most 8 MiB, or one record alone") {
  TailedLog log;
  for (const std::size_t size : {std::size_t{5} << 20, std::size_t{5} << 20, std::size_t{20} << 20,
                                 std::size_t{100}, std::size_t{64} << 20}) {
    log.append(size - log_frame::kPayloadOffset);
  }
  const auto runs = log.runsFrom({3, 0});
  EXPECT(runs.size() == 5);
  for (const RecordRun& run : runs) {
    EXPECT(run.records.size() <= kGroupSizeMax || run.firstSequence == run.lastSequence);
    EXPECT(run.records.size() <= kGroupRecordSizeMax);
    EXPECT(run.isFull == (&run != &runs.back()));
    LogGroup group;
    group.link.database = {1};
    group.place = {1, 1};
    group.file = run.file;
    group.firstSequence = run.firstSequence;
    group.lastSequence = run.lastSequence;
    group.records = run.records;
    EXPECT(encodeGroup(group).ok());
  }
}

TEST("what is not settled is not read, and a reader goes on where it stopped") {
  TailedLog log;
  log.append(10);
  WalTail tail(log.fs, log.directory, {3, 0});
  const WalEnd before = log.wal->settledEnd();
  log.append(10);
  auto run = tail.next(before);
  REQUIRE(run.ok() && run.value());
  EXPECT(run.value()->lastSequence == log.next - 2);
  tail.moveTo(run.value()->end);
  run = tail.next(before);
  EXPECT(run.ok() && !run.value());
  run = tail.next(log.wal->settledEnd());
  REQUIRE(run.ok() && run.value());
  EXPECT(run.value()->firstSequence == log.next - 1 && !run.value()->isFileBegin);
}

TEST("the place of every sequence is found, also of the next one, and of no other") {
  TailedLog log;
  for (int i = 0; i < 3; ++i) log.append(50);
  REQUIRE(log.wal->rotate(log.next).ok());
  log.append(50);
  for (std::uint64_t sequence = 17; sequence <= log.next; ++sequence) {
    const auto place = placeOfSequence(log.fs, log.directory, sequence);
    REQUIRE(place.ok() && place.value());
    const auto runs = log.runsFrom(*place.value());
    if (sequence == log.next) {
      EXPECT(runs.empty());
    } else {
      EXPECT(!runs.empty() && runs[0].firstSequence == sequence);
    }
  }
  EXPECT(!placeOfSequence(log.fs, log.directory, 16).value());
  EXPECT(!placeOfSequence(log.fs, log.directory, log.next + 1).value());
}

TEST("a WAL file that is gone or cut is named") {
  TailedLog log;
  log.append(50);
  const WalEnd end = log.wal->settledEnd();
  WalTail beyond(log.fs, log.directory, {2, 0});
  const Status gone = beyond.next(end).status();
  EXPECT(!gone.ok() && gone.message().find("0000000002.wal") != std::string::npos);
  WalTail tail(log.fs, log.directory, {3, 0});
  const Status cut = tail.next({3, end.size + 100, 0}).status();
  EXPECT(!cut.ok() && cut.message().find("0000000003.wal") != std::string::npos);
}
