// The log file being written: a failed append leaves nothing, a failed sync or cut is final.
#include "wal/wal_writer.h"

#include "faulty_file_system.h"
#include "harness.h"

using namespace seriesdb;
using test::FaultyFileSystem;
using test::Operation;

namespace {

ByteBuffer record(std::uint64_t sequence) {
  ByteBuffer bytes;
  appendRecord(bytes, 1, sequence, asBytes("payload"));
  return bytes;
}

class Log {
 public:
  Log() : directory_(test::temporaryDirectory()) {
    auto made = WalWriter::create(fs, directory_, 1);
    CHECK(made.ok());
    wal = std::move(made).value();
  }

  // The sequences in a file; nothing when it cannot be read.
  std::vector<std::uint64_t> sequences(std::uint64_t number) {
    std::vector<std::uint64_t> found;
    const std::string path = directory_ + "/000000000" + std::to_string(number) + ".wal";
    const auto report =
        readLog(posixFileSystem(), path, LogKind::kWal, number, [&](const LogRecord& one) {
          found.push_back(one.sequence);
          return Status{};
        });
    EXPECT(report.ok() && !report.value().hasTornTail);
    return found;
  }
  std::vector<std::string> files() { return posixFileSystem().list(directory_).value(); }

  FaultyFileSystem fs{posixFileSystem()};
  std::unique_ptr<WalWriter> wal;

 private:
  std::string directory_;
};

using Sequences = std::vector<std::uint64_t>;

}  // namespace

TEST("records go to the file at once, and a rotation goes on in the next file") {
  Log log;
  REQUIRE(log.wal->append(record(1)).ok());
  REQUIRE(log.wal->append(record(2)).ok());
  EXPECT(log.sequences(1) == (Sequences{1, 2}));
  REQUIRE(log.wal->rotate().ok());
  EXPECT(log.wal->number() == 2);
  REQUIRE(log.wal->append(record(3)).ok());
  EXPECT(log.sequences(1) == (Sequences{1, 2}));
  EXPECT(log.sequences(2) == Sequences{3});
}

TEST("an append that finds the disk full leaves nothing, and the next one may pass") {
  Log log;
  REQUIRE(log.wal->append(record(1)).ok());
  for (const std::size_t kept : {0, 1, 16, 23}) {
    log.fs.shortenAppendAt(1, kept, StatusCode::kStorageUnavailable);
    EXPECT(log.wal->append(record(2)).code() == StatusCode::kStorageUnavailable);
    EXPECT(!log.wal->isBroken());
    EXPECT(log.sequences(1) == Sequences{1});
  }
  EXPECT(log.wal->append(record(2)).ok());
  EXPECT(log.sequences(1) == (Sequences{1, 2}));
}

TEST("an append that fails for any other cause is cut, and is the last one") {
  Log log;
  REQUIRE(log.wal->append(record(1)).ok());
  log.fs.shortenAppendAt(1, 9, StatusCode::kIo);
  EXPECT(log.wal->append(record(2)).code() == StatusCode::kStorageUnavailable);
  EXPECT(log.wal->isBroken());
  EXPECT(!log.wal->append(record(2)).ok() && !log.wal->sync().ok() && !log.wal->rotate().ok());
  EXPECT(log.sequences(1) == Sequences{1});
}

TEST("a cut that fails is final, since half a record may stay") {
  Log log;
  log.fs.shortenAppendAt(1, 9, StatusCode::kStorageUnavailable);
  log.fs.failAt(Operation::kTruncate, 1);
  EXPECT(!log.wal->append(record(1)).ok());
  EXPECT(log.wal->isBroken());
  EXPECT(log.wal->append(record(1)).code() == StatusCode::kStorageUnavailable);
}

TEST("a failed sync is final, and a retry does not hide it") {
  Log log;
  REQUIRE(log.wal->append(record(1)).ok());
  log.fs.failAt(Operation::kSync, 1);
  EXPECT(log.wal->sync().code() == StatusCode::kStorageUnavailable);
  EXPECT(log.wal->isBroken());
  EXPECT(!log.wal->sync().ok());
  EXPECT(!log.wal->append(record(2)).ok());
}

TEST("a sync with nothing appended since the last one asks nothing of the disk") {
  Log log;
  const std::uint64_t before = log.fs.count(Operation::kSync);
  REQUIRE(log.wal->sync().ok());
  EXPECT(log.fs.count(Operation::kSync) == before);
  REQUIRE(log.wal->append(record(1)).ok());
  REQUIRE(log.wal->sync().ok());
  REQUIRE(log.wal->sync().ok());
  EXPECT(log.fs.count(Operation::kSync) == before + 1);
}

TEST("a rotation syncs first, so that only the last file can have a torn tail") {
  Log log;
  REQUIRE(log.wal->append(record(1)).ok());
  REQUIRE(log.wal->rotate().ok());
  REQUIRE(log.wal->append(record(2)).ok());
  log.wal.reset();
  log.fs.losePower();
  EXPECT(log.sequences(1) == Sequences{1});
  EXPECT(log.sequences(2).empty());
}

TEST("a rotation that cannot make the next file stays in this one and can be tried again") {
  for (const Operation operation :
       {Operation::kCreate, Operation::kAppend, Operation::kSync, Operation::kSyncDirectory}) {
    Log log;
    REQUIRE(log.wal->append(record(1)).ok());
    REQUIRE(log.wal->sync().ok());
    log.fs.failAt(operation, 1);
    EXPECT(!log.wal->rotate().ok());
    EXPECT(!log.wal->isBroken() && log.wal->number() == 1);
    EXPECT(log.files().size() == 1);
    REQUIRE(log.wal->append(record(2)).ok());
    REQUIRE(log.wal->rotate().ok());
    EXPECT(log.sequences(1) == (Sequences{1, 2}));
  }
}
