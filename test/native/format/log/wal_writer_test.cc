// The WAL writer: a failed append leaves nothing, a failed sync or cut is final, and marks record
// where a file begins and how it ends.
#include "format/log/wal_writer.h"

#include "common/types/file_names.h"
#include "faulty_file_system.h"
#include "format/log/wal_reader.h"
#include "harness.h"

using namespace seriesdb;
using test::FaultyFileSystem;
using test::Operation;

namespace {

class Log {
 public:
  Log() : directory_(test::temporaryDirectory()) {
    auto made = WalWriter::create(fs, directory_, 1, next);
    CHECK(made.ok());
    wal = std::move(made).value();
  }

  // Appends one record.
  Status append() {
    ByteBuffer bytes;
    appendRecord(bytes, 1, next, asBytes("payload"));
    Status appended = wal->append(bytes);
    next += appended.ok() ? 1 : 0;
    return appended;
  }
  Status rotate() { return wal->rotate(next); }
  Status close() { return wal->close(next); }
  Status resume(const WalEnd& end) {
    auto resumed = WalWriter::resume(fs, directory_, end, next);
    if (!resumed.ok()) return resumed.status();
    wal = std::move(resumed).value();
    return {};
  }

  // The records of a file with their sequences: "begin 1, data 2, continued 3".
  std::string records(std::uint64_t number) {
    std::string text;
    const auto report =
        readWalFile(posixFileSystem(), path(number), number, [&](const LogRecord& one) {
          const std::string_view word = one.type == kBeginMarkType       ? "begin "
                                        : one.type == kContinuedMarkType ? "continued "
                                        : one.type == kClosedMarkType    ? "closed "
                                                                         : "data ";
          if (!text.empty()) text += ", ";
          text.append(word).append(std::to_string(one.sequence));
          return Status{};
        });
    EXPECT(report.ok() && !report.value().log.hasTornTail);
    return text;
  }
  std::string path(std::uint64_t number) const {
    return file_names::join(directory_, file_names::walFile(number));
  }
  std::uint64_t bytes() {
    std::uint64_t sum = 0;
    for (const std::string& name : files()) {
      sum += posixFileSystem().readAll(file_names::join(directory_, name)).value().size();
    }
    return sum;
  }
  std::vector<std::string> files() { return posixFileSystem().list(directory_).value(); }

  FaultyFileSystem fs{posixFileSystem()};
  std::unique_ptr<WalWriter> wal;
  std::uint64_t next = 1;

 private:
  std::string directory_;
};

}  // namespace

TEST("records are written at once, and a rotation marks its end and continues in the next file") {
  Log log;
  EXPECT(log.records(1) == "begin 1");
  REQUIRE(log.append().ok());
  REQUIRE(log.append().ok());
  EXPECT(log.records(1) == "begin 1, data 2, data 3");
  REQUIRE(log.rotate().ok());
  EXPECT(log.wal->number() == 2);
  REQUIRE(log.append().ok());
  EXPECT(log.records(1) == "begin 1, data 2, data 3, continued 4");
  EXPECT(log.records(2) == "begin 5, data 6");
}

TEST("a closed log ends with a mark after synced records, and is resumed in the next file") {
  Log log;
  REQUIRE(log.append().ok());
  REQUIRE(log.close().ok());
  log.wal.reset();
  log.fs.losePower();
  EXPECT(log.records(1) == "begin 1, data 2, closed 3");
  const std::uint64_t size = posixFileSystem().readAll(log.path(1)).value().size();
  REQUIRE(log.resume({1, size}).ok());
  EXPECT(log.records(1) == "begin 1, data 2, closed 3, continued 4");
  EXPECT(log.records(2) == "begin 5");
}

TEST("resuming a log cuts everything after its last good record") {
  Log log;
  REQUIRE(log.append().ok());
  const std::uint64_t size = posixFileSystem().readAll(log.path(1)).value().size();
  REQUIRE(log.wal->append(asBytes("half a record")).ok());
  REQUIRE(log.resume({1, size}).ok());
  EXPECT(log.records(1) == "begin 1, data 2, continued 3");
  EXPECT(log.wal->number() == 2);
}

TEST("a close without room for its mark still syncs the records") {
  Log log;
  REQUIRE(log.append().ok());
  log.fs.failAt(Operation::kAppend, 1, StatusCode::kStorageUnavailable);
  EXPECT(log.close().ok());
  log.fs.losePower();
  EXPECT(log.records(1) == "begin 1, data 2");
}

TEST("a close whose sync fails reports it, before and after its mark") {
  for (const std::uint64_t nth : {1u, 2u}) {
    Log log;
    REQUIRE(log.append().ok());
    log.fs.failAt(Operation::kSync, nth);
    EXPECT(log.close().code() == StatusCode::kStorageUnavailable);
    EXPECT(log.wal->isBroken());
    EXPECT(log.close().code() == StatusCode::kStorageUnavailable);
  }
}

TEST("an append that finds the disk full leaves nothing, and a later one may succeed") {
  Log log;
  REQUIRE(log.append().ok());
  for (const std::size_t kept : {0, 1, 16, 23}) {
    log.fs.shortenAppendAt(1, kept, StatusCode::kStorageUnavailable);
    EXPECT(log.append().code() == StatusCode::kStorageUnavailable);
    EXPECT(!log.wal->isBroken());
    EXPECT(log.records(1) == "begin 1, data 2");
  }
  EXPECT(log.append().ok());
  EXPECT(log.records(1) == "begin 1, data 2, data 3");
}

TEST("an append that fails for another reason is cut, and later ones are refused") {
  Log log;
  REQUIRE(log.append().ok());
  log.fs.shortenAppendAt(1, 9, StatusCode::kIo);
  EXPECT(log.append().code() == StatusCode::kStorageUnavailable);
  EXPECT(log.wal->isBroken());
  EXPECT(!log.append().ok() && !log.wal->sync().ok() && !log.rotate().ok() && !log.close().ok());
  EXPECT(log.records(1) == "begin 1, data 2");
}

TEST("a failed cut is final, since half a record may stay") {
  Log log;
  log.fs.shortenAppendAt(1, 9, StatusCode::kStorageUnavailable);
  log.fs.failAt(Operation::kTruncate, 1);
  EXPECT(!log.append().ok());
  EXPECT(log.wal->isBroken());
  EXPECT(log.append().code() == StatusCode::kStorageUnavailable);
}

TEST("a failed sync is final, and a retry does not hide it") {
  Log log;
  REQUIRE(log.append().ok());
  log.fs.failAt(Operation::kSync, 1);
  EXPECT(log.wal->sync().code() == StatusCode::kStorageUnavailable);
  EXPECT(log.wal->isBroken());
  EXPECT(!log.wal->sync().ok());
  EXPECT(!log.append().ok());
}

TEST("a sync after nothing was appended does not call the disk") {
  Log log;
  const std::uint64_t before = log.fs.count(Operation::kSync);
  REQUIRE(log.wal->sync().ok());
  EXPECT(log.fs.count(Operation::kSync) == before);
  REQUIRE(log.append().ok());
  REQUIRE(log.wal->sync().ok());
  REQUIRE(log.wal->sync().ok());
  EXPECT(log.fs.count(Operation::kSync) == before + 1);
}

TEST("a rotation syncs first, so that only the last file can have a torn tail") {
  Log log;
  REQUIRE(log.append().ok());
  REQUIRE(log.rotate().ok());
  REQUIRE(log.append().ok());
  log.wal.reset();
  log.fs.losePower();
  EXPECT(log.records(1) == "begin 1, data 2, continued 3");
  EXPECT(log.records(2) == "begin 4");
}

TEST("the counted disk bytes cover all log files, also those of earlier processes") {
  Log log;
  EXPECT(log.wal->diskBytes() == log.bytes());
  REQUIRE(log.append().ok());
  EXPECT(log.wal->diskBytes() < log.bytes());  // Not synced yet.
  REQUIRE(log.wal->sync().ok());
  EXPECT(log.wal->diskBytes() == log.bytes());
  REQUIRE(log.rotate().ok());
  REQUIRE(log.rotate().ok());
  REQUIRE(log.append().ok());
  REQUIRE(log.close().ok());
  EXPECT(log.wal->diskBytes() == log.bytes());
  REQUIRE(log.resume(log.wal->settledEnd()).ok());
  EXPECT(log.files().size() == 4 && log.wal->diskBytes() == log.bytes());
  REQUIRE(posixFileSystem().remove(log.path(2)).ok());
  log.wal->forget(2);
  log.wal->forget(2);
  EXPECT(log.wal->diskBytes() == log.bytes());
}

TEST("a rotation that cannot create the next file keeps the current one and can be retried") {
  for (const Operation operation :
       {Operation::kCreate, Operation::kAppend, Operation::kSync, Operation::kSyncDirectory}) {
    Log log;
    REQUIRE(log.append().ok());
    REQUIRE(log.wal->sync().ok());
    log.fs.failAt(operation, 1);
    EXPECT(!log.rotate().ok());
    EXPECT(!log.wal->isBroken() && log.wal->number() == 1);
    EXPECT(log.files().size() == 1);
    REQUIRE(log.append().ok());
    REQUIRE(log.rotate().ok());
    EXPECT(log.records(1) == "begin 1, data 2, data 3, continued 4");
  }
}

TEST("a rotation without room for its mark leaves no file and can be retried") {
  Log log;
  REQUIRE(log.append().ok());
  log.fs.failAt(Operation::kAppend, 2, StatusCode::kStorageUnavailable);
  EXPECT(log.rotate().code() == StatusCode::kStorageUnavailable);
  EXPECT(!log.wal->isBroken() && log.files().size() == 1);
  REQUIRE(log.rotate().ok());
  EXPECT(log.records(1) == "begin 1, data 2, continued 3");
  EXPECT(log.records(2) == "begin 4");
}

TEST("a rotation whose mark cannot be synced is final") {
  Log log;
  REQUIRE(log.append().ok());
  // The third sync, after those of the records and of the next file.
  log.fs.failAt(Operation::kSync, 3);
  EXPECT(log.rotate().code() == StatusCode::kStorageUnavailable);
  EXPECT(log.wal->isBroken());
  EXPECT(!log.append().ok() && !log.rotate().ok());
}

TEST("misplaced marks are refused with the sequence of the record") {
  const auto read = [](std::initializer_list<std::uint8_t> types, Bytes payload) {
    Log log;
    ByteBuffer records;
    for (const std::uint8_t type : types) {
      appendRecord(records, type, log.next++, type == kBeginMarkType ? payload : Bytes{});
    }
    CHECK(log.wal->append(records).ok());
    return readWalFile(posixFileSystem(), log.path(1), 1, [](const LogRecord&) { return Status{}; })
        .status();
  };
  for (const std::initializer_list<std::uint8_t> types :
       {std::initializer_list<std::uint8_t>{kBeginMarkType},
        {kContinuedMarkType, 1},
        {kContinuedMarkType, kClosedMarkType},
        {kClosedMarkType, 1},
        {kClosedMarkType, kClosedMarkType},
        {1, kBeginMarkType}}) {
    const Status refused = read(types, {});
    EXPECT(refused.code() == StatusCode::kStorageCorrupt);
    EXPECT(refused.message().find("the record with sequence ") != std::string::npos);
  }
  EXPECT(read({kClosedMarkType, kContinuedMarkType}, {}).ok());
  EXPECT(read({kBeginMarkType}, asBytes("x")).code() == StatusCode::kStorageCorrupt);
}
