// The damage rule of docs/format/log.md: a torn tail is reported, an inner tear is refused.
#include "format/log/log_file.h"

#include <random>

#include "common/digest/checksum.h"
#include "faulty_file_system.h"
#include "format/log/log_frame.h"
#include "harness.h"

using namespace seriesdb;
using namespace seriesdb::log_frame;
using test::FaultyFileSystem;
using test::Operation;

namespace {

struct Seen {
  std::uint8_t type;
  std::uint64_t sequence;
  std::string payload;
  bool operator==(const Seen&) const = default;
};

// A log file in its own directory; the test sets its bytes.
class LogOnDisk {
 public:
  LogOnDisk() : directory_(test::temporaryDirectory()) {}

  std::string path() const { return directory_ + "/log"; }
  const std::string& directory() const { return directory_; }
  LogPlace place(LogKind kind = LogKind::kWal, std::uint64_t number = 7) const {
    return {directory_, "log", kind, number};
  }
  void write(Bytes bytes) const {
    FileSystem& fs = posixFileSystem();
    if (fs.exists(path()).value()) CHECK(fs.remove(path()).ok());
    auto file = fs.create(path());
    CHECK(file.ok() && file.value()->append(bytes).ok());
  }
  Result<LogReadReport> read() {
    seen.clear();
    return readLog(posixFileSystem(), place(), [&](const LogRecord& record) {
      seen.push_back({record.type, record.sequence, std::string(asText(record.payload))});
      return Status{};
    });
  }

  std::vector<Seen> seen;

 private:
  std::string directory_;
};

ByteBuffer headerBytes() {
  const LogOnDisk log;
  CHECK(createLog(posixFileSystem(), log.place()).ok());
  return posixFileSystem().readAll(log.path()).value();
}

const std::vector<Seen>& sampleRecords() {
  static const std::vector<Seen> records{
      {1, 3, "first"}, {2, 4, ""}, {3, 5, std::string(40, '\0')}, {1, 6, "the last one"}};
  return records;
}

struct WrittenLog {
  ByteBuffer bytes;
  std::vector<std::size_t> ends;  // ends[i]: where the i-th record begins and the one before ends.
};
WrittenLog sampleLog() {
  WrittenLog sample{headerBytes(), {}};
  for (const Seen& record : sampleRecords()) {
    sample.ends.push_back(sample.bytes.size());
    appendRecord(sample.bytes, record.type, record.sequence, asBytes(record.payload));
  }
  sample.ends.push_back(sample.bytes.size());
  return sample;
}

std::vector<Seen> firstRecords(std::size_t count) {
  return {sampleRecords().begin(), sampleRecords().begin() + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace

TEST("a new log has the header of the format, byte for byte") {
  const ByteBuffer header = headerBytes();
  REQUIRE(header.size() == 20);
  const ByteBuffer expected{'s', 'd', 'b', 1, 1, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0};
  EXPECT(std::equal(expected.begin(), expected.end(), header.begin()));
  EXPECT(loadLe<std::uint32_t>(header.data() + 16) == crc32c(expected));
}

TEST("a record has the layout of the format, built from a payload or in place") {
  ByteBuffer once{0xaa};
  appendRecord(once, 5, 0x0102030405060708, asBytes("xy"));
  const ByteBuffer expected{2, 0, 0, 0, 0x85, 8, 7, 6, 5, 4, 3, 2, 1, 'x', 'y'};
  REQUIRE(once.size() == 1 + 4 + expected.size());
  EXPECT(std::equal(expected.begin(), expected.end(), once.begin() + 5));
  EXPECT(loadLe<std::uint32_t>(once.data() + 1) == crc32c(expected));

  ByteBuffer inPlace{0xaa};
  const std::size_t begin = beginRecord(inPlace, 5, 0x0102030405060708, true);
  appendBytes(inPlace, asBytes("xy"));
  CHECK(endRecord(inPlace, begin).ok());
  EXPECT(inPlace == once);
  beginRecord(inPlace, 5, 1, false);
  EXPECT(inPlace[once.size() + 8] == 5);
}

TEST("records are read back in order, with a full report") {
  const WrittenLog sample = sampleLog();
  LogOnDisk log;
  log.write(sample.bytes);
  const auto report = log.read();
  REQUIRE(report.ok());
  EXPECT(log.seen == sampleRecords());
  EXPECT(report.value().validSize == sample.bytes.size());
  EXPECT(report.value().fileSize == sample.bytes.size());
  EXPECT(report.value().recordCount == 4);
  EXPECT(report.value().firstSequence == 3);
  EXPECT(report.value().lastSequence == 6);
  EXPECT(!report.value().hasTornTail);
}

TEST("a log cut at any byte gives every whole record and reports a torn tail") {
  const WrittenLog sample = sampleLog();
  LogOnDisk log;
  for (std::size_t size = 0; size <= sample.bytes.size(); ++size) {
    log.write(Bytes(sample.bytes).first(size));
    const auto report = log.read();
    REQUIRE(report.ok());
    std::size_t whole = 0;
    while (whole < 4 && sample.ends[whole + 1] <= size) ++whole;
    EXPECT(log.seen == firstRecords(whole));
    EXPECT(report.value().validSize == (size < kHeaderSize ? 0 : sample.ends[whole]));
    EXPECT(report.value().hasTornTail == (size < kHeaderSize || sample.ends[whole] != size));
    EXPECT(report.value().fileSize == size);
  }
}

TEST("a flip of any bit is damage, except in the last record, where it is a torn tail") {
  const WrittenLog sample = sampleLog();
  LogOnDisk log;
  for (std::size_t bit = 0; bit < sample.bytes.size() * 8; ++bit) {
    ByteBuffer bytes = sample.bytes;
    bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    log.write(bytes);
    const auto report = log.read();
    if (bit / 8 >= sample.ends[3]) {
      REQUIRE(report.ok());
      EXPECT(report.value().hasTornTail);
      EXPECT(report.value().validSize == sample.ends[3]);
      EXPECT(log.seen == firstRecords(3));
      continue;
    }
    REQUIRE(!report.ok());
    EXPECT(report.status().code() == StatusCode::kStorageCorrupt);
    EXPECT(report.status().message().find(log.path()) != std::string::npos);
    if (bit / 8 < kHeaderSize) continue;
    std::size_t hit = 0;
    while (sample.ends[hit + 1] <= bit / 8) ++hit;
    const std::string place = "at offset " + std::to_string(sample.ends[hit]);
    EXPECT(report.status().message().ends_with(place));
    EXPECT(log.seen == firstRecords(hit));
  }
}

TEST("a run of zeros after the last record is a torn tail, of any length") {
  const WrittenLog sample = sampleLog();
  LogOnDisk log;
  for (const std::size_t zeros : {1u, 16u, 17u, 18u, 64u, 4096u, 1u << 20}) {
    ByteBuffer bytes = sample.bytes;
    bytes.resize(bytes.size() + zeros);
    log.write(bytes);
    const auto report = log.read();
    REQUIRE(report.ok());
    EXPECT(report.value().hasTornTail);
    EXPECT(report.value().validSize == sample.bytes.size());
    EXPECT(log.seen == sampleRecords());
  }
}

TEST("a zeroed record is damage before valid records, and a torn tail at the end") {
  const WrittenLog sample = sampleLog();
  LogOnDisk log;
  for (std::size_t i = 0; i < 4; ++i) {
    ByteBuffer bytes = sample.bytes;
    for (std::size_t at = sample.ends[i]; at < sample.ends[i + 1]; ++at) bytes[at] = 0;
    log.write(bytes);
    EXPECT(log.read().ok() == (i == 3));
  }
}

TEST("a file of zeros only, and an empty one, are torn tails of size zero") {
  LogOnDisk log;
  for (const std::size_t size : {0u, 19u, 20u, 4096u}) {
    log.write(ByteBuffer(size));
    const auto report = log.read();
    REQUIRE(report.ok());
    EXPECT(report.value().hasTornTail && report.value().validSize == 0);
    EXPECT(report.value().lastSequence == 0);
  }
}

TEST("no record is found at the end of a log or past it") {
  const WrittenLog sample = sampleLog();
  const ByteBuffer log = sample.bytes;
  for (const std::size_t behind : {0u, 1u, 16u, 4096u}) {
    EXPECT(!plausibleSize(log, log.size() + behind).has_value());
    EXPECT(!recordAt(log, log.size() + behind).has_value());
    EXPECT(!recordAt({}, behind).has_value());
  }
  EXPECT(recordAt(log, sample.ends.front()).has_value());
}

TEST("a hole among records that were not synced is a torn tail; before a synced one it is damage") {
  // Two appends. The second is a group of three records; only its last one reached the disk.
  for (const bool isSyncedLater : {false, true}) {
    ByteBuffer bytes = headerBytes();
    appendRecord(bytes, 1, 1, asBytes("first"));
    const std::size_t end = bytes.size();
    for (std::uint64_t sequence = 2; sequence <= 4; ++sequence) {
      const std::size_t begin = beginRecord(bytes, 1, sequence, sequence == 2);
      appendBytes(bytes, asBytes("one of a group"));
      CHECK(endRecord(bytes, begin).ok());
    }
    if (isSyncedLater) appendRecord(bytes, 1, 5, asBytes("upon a sync"));
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(end), 40, std::uint8_t{0});
    LogOnDisk log;
    log.write(bytes);
    const auto report = log.read();
    EXPECT(log.seen == (std::vector<Seen>{{1, 1, "first"}}));
    if (isSyncedLater) {
      EXPECT(report.status().code() == StatusCode::kStorageCorrupt);
    } else {
      REQUIRE(report.ok());
      EXPECT(report.value().hasTornTail && report.value().validSize == end);
    }
  }
}

TEST("a sequence that repeats, falls or skips a number is damage") {
  LogOnDisk log;
  for (const std::uint64_t second : {5u, 4u, 1u, 7u, 500u}) {
    ByteBuffer bytes = headerBytes();
    appendRecord(bytes, 1, 5, {});
    appendRecord(bytes, 1, second, {});
    log.write(bytes);
    const auto report = log.read();
    REQUIRE(!report.ok());
    EXPECT(report.status().code() == StatusCode::kStorageCorrupt);
    EXPECT(report.status().message().ends_with(" instead of 6 at offset 37"));
  }
}

TEST("a sequence past the limit is damage; one at the limit is valid") {
  LogOnDisk log;
  for (const std::uint64_t sequence : {kSequenceMax, kSequenceMax + 1, UINT64_MAX}) {
    ByteBuffer bytes = headerBytes();
    appendRecord(bytes, 1, sequence, {});
    log.write(bytes);
    const auto report = log.read();
    EXPECT(report.ok() == (sequence == kSequenceMax));
    if (!report.ok()) EXPECT(report.status().code() == StatusCode::kStorageCorrupt);
  }
}

TEST("a wrong kind, number or version in a valid header gets its own error message") {
  LogOnDisk log;
  log.write(headerBytes());
  const auto ignore = [](const LogRecord&) { return Status{}; };
  FileSystem& fs = posixFileSystem();
  const auto kind = readLog(fs, log.place(LogKind::kCatalog), ignore);
  REQUIRE(!kind.ok());
  EXPECT(kind.status().message().find("not this kind") != std::string::npos);
  const auto number = readLog(fs, log.place(LogKind::kWal, 8), ignore);
  REQUIRE(!number.ok());
  EXPECT(number.status().message().find("number 7 instead of 8") != std::string::npos);
  ByteBuffer newer = headerBytes();
  newer[4] = 2;
  storeLe(newer.data() + kHeaderCrcOffset, crc32c(Bytes(newer).first(kHeaderCrcOffset)));
  log.write(newer);
  const auto version = log.read();
  REQUIRE(!version.ok());
  EXPECT(version.status().code() == StatusCode::kConfiguration);
  EXPECT(version.status().message().find("version 2 was written by a newer seriesdb") !=
         std::string::npos);
}

TEST("an error of the callback ends the reading and is returned") {
  LogOnDisk log;
  log.write(sampleLog().bytes);
  int calls = 0;
  const auto report = readLog(posixFileSystem(), log.place(), [&](const LogRecord&) {
    return ++calls == 2 ? Status(StatusCode::kSeriesLimit, "enough") : Status{};
  });
  EXPECT(calls == 2);
  EXPECT(!report.ok() && report.status().code() == StatusCode::kSeriesLimit);
  const LogPlace missing{log.directory(), "missing", LogKind::kWal, 7};
  EXPECT(!readLog(posixFileSystem(), missing, [](const LogRecord&) { return Status{}; }).ok());
}

TEST("the search after damage finds a valid record at any distance and of any size") {
  std::mt19937_64 random(test::seed());
  for (const std::size_t payloadSize : {0u, 1u, 4091u, 4092u, 4093u, 70000u}) {
    for (int round = 0; round < 20; ++round) {
      ByteBuffer log(random() % 1000);
      for (auto& byte : log) byte = static_cast<std::uint8_t>(random() | 0x80);
      const std::size_t expected = log.size();
      ByteBuffer payload(payloadSize);
      for (auto& byte : payload) byte = static_cast<std::uint8_t>(random());
      appendRecord(log, 1, 100, payload);
      log.resize(log.size() + random() % 300);
      EXPECT(findRecord(log, 0, 99) == expected);
      EXPECT(findRecord(log, 0, 100) == std::nullopt);
      EXPECT(findRecord(log, expected + 1, 99) == std::nullopt);
    }
  }
}

LONE_TEST("the search stays fast in a payload that is full of plausible lengths") {
  // A million offsets look like a record of 4 MB with a high sequence. Reading each candidate would
  // touch 4 TB.
  ByteBuffer log(8u << 20);
  for (std::size_t i = 0; i < log.size(); i += 4) log[i + 2] = 0x3f;
  EXPECT(findRecord(log, 0, 5) == std::nullopt);
}

TEST("createLog that fails at any step leaves no file and can be retried") {
  const std::string directory = test::temporaryDirectory();
  FaultyFileSystem fs(posixFileSystem());
  for (const Operation operation :
       {Operation::kCreate, Operation::kAppend, Operation::kSync, Operation::kSyncDirectory}) {
    fs.failAt(operation, 1);
    EXPECT(!createLog(fs, {directory, "log", LogKind::kWal, 1}).ok());
    EXPECT(!fs.exists(directory + "/log").value());
  }
  fs.setSpace(10);
  const auto full = createLog(fs, {directory, "log", LogKind::kWal, 1});
  EXPECT(!full.ok() && full.status().code() == StatusCode::kStorageUnavailable);
  fs.heal();
  EXPECT(createLog(fs, {directory, "log", LogKind::kWal, 1}).ok());
  fs.losePower();
  const LogPlace place{directory, "log", LogKind::kWal};
  const auto report = readLog(fs, place, [](const LogRecord&) { return Status{}; });
  REQUIRE(report.ok());
  EXPECT(report.value().validSize == kHeaderSize && !report.value().hasTornTail);
}

TEST("a record length at the limit is plausible, one past it is not, in a file of any size") {
  const std::string directory = test::temporaryDirectory();
  for (const std::uint32_t length : {kRecordPayloadSizeMax, kRecordPayloadSizeMax + 1}) {
    ByteBuffer frame(kPayloadOffset);
    storeLe(frame.data() + kLengthOffset, length);
    // A sparse file: the test needs no disk space for the payload.
    const std::string path = directory + "/" + std::to_string(length);
    auto file = posixFileSystem().create(path);
    REQUIRE(file.ok());
    REQUIRE(file.value()->append(frame).ok());
    REQUIRE(file.value()->truncate(std::uint64_t{kRecordPayloadSizeMax} + 1000).ok());
    const auto opened = posixFileSystem().openRead(path);
    REQUIRE(opened.ok() && !opened.value()->mapped().empty());
    const auto size = plausibleSize(opened.value()->mapped(), 0);
    EXPECT(size.has_value() == (length == kRecordPayloadSizeMax));
  }
}
