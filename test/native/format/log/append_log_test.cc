// Each batch is in the file completely or not at all, whatever fails below.
#include "format/log/append_log.h"

#include <random>

#include "faulty_file_system.h"
#include "harness.h"

using namespace seriesdb;
using test::FaultyFileSystem;
using test::Operation;

namespace {

constexpr std::uint8_t kType = 3;

using Texts = std::vector<std::string>;

AppendLog::Write writeOf(const Texts& texts) {
  return [texts](LogBatch& batch) -> Status {
    for (const std::string& text : texts) {
      const auto added = batch.add(kType, [&](ByteBuffer& out) {
        appendBytes(out, asBytes(text));
        return Status();
      });
      if (!added.ok()) return added.status();
    }
    return {};
  };
}

// A log, and its expected content.
class Log {
 public:
  Log() : place_{test::temporaryDirectory(), "LOG", LogKind::kCatalog} { CHECK(reopen().ok()); }

  // Reopens the log as the four permanent files are opened.
  Status reopen() {
    texts.clear();
    log = std::make_unique<AppendLog>(fs, place_);
    if (!posixFileSystem().exists(place_.path()).value()) return {};
    const auto found = readWholeLog(fs, place_, [this](const LogRecord& record) {
      texts.emplace_back(record.payload.begin(), record.payload.end());
      return Status();
    });
    if (!found.ok()) return found.status();
    return found.value().validSize == 0 ? Status() : log->open(found.value());
  }

  Status append(const Texts& more) { return log->append(writeOf(more)); }
  Status replace(const Texts& all) { return log->replace(writeOf(all)); }

  std::string path() const { return place_.path(); }
  std::vector<std::string> files() { return posixFileSystem().list(place_.directory).value(); }

  FaultyFileSystem fs{posixFileSystem()};
  std::unique_ptr<AppendLog> log;
  Texts texts;  // As last read.

 private:
  LogPlace place_;
};

}  // namespace

TEST("the first batch creates the log, and its batches are read again when it is opened") {
  Log one;
  EXPECT(one.files().empty());
  REQUIRE(one.append({"a", "b"}).ok());
  REQUIRE(one.append({"c"}).ok());
  REQUIRE(one.reopen().ok());
  EXPECT((one.texts == Texts{"a", "b", "c"}));
  REQUIRE(one.append({"d"}).ok());
  REQUIRE(one.reopen().ok());
  EXPECT((one.texts == Texts{"a", "b", "c", "d"}));
}

TEST("an existing log is not created again") {
  Log one;
  REQUIRE(one.append({"a"}).ok());
  AppendLog other(one.fs, {one.path().substr(0, one.path().rfind('/')), "LOG", LogKind::kCatalog});
  EXPECT(!other.create().ok());
  REQUIRE(one.reopen().ok());
  EXPECT((one.texts == Texts{"a"}));
}

TEST("a torn tail stays until the next batch cuts it") {
  Log one;
  REQUIRE(one.append({"a"}).ok());
  REQUIRE(one.append({"b"}).ok());
  const std::uint64_t whole = one.log->size();
  {
    auto file = posixFileSystem().openAppend(one.path());
    REQUIRE(file.ok() && file.value()->truncate(whole - 1).ok());
  }
  REQUIRE(one.reopen().ok());
  EXPECT(one.log->tornAt().has_value());
  EXPECT(posixFileSystem().readAll(one.path()).value().size() == whole - 1);
  REQUIRE(one.append({"c"}).ok());
  EXPECT(!one.log->tornAt().has_value());
  REQUIRE(one.reopen().ok());
  EXPECT((one.texts == Texts{"a", "c"}));
}

TEST("a batch refused by a full disk leaves nothing behind, and can be retried") {
  Log one;
  REQUIRE(one.append({"a"}).ok());
  one.fs.failAt(Operation::kAppend, 2, StatusCode::kStorageUnavailable);
  EXPECT(one.append({"b", "c"}).code() == StatusCode::kStorageUnavailable);
  EXPECT(one.log->failure().ok());
  REQUIRE(one.append({"d", "e"}).ok());
  REQUIRE(one.reopen().ok());
  EXPECT((one.texts == Texts{"a", "d", "e"}));
}

TEST("a failed write, truncate or sync is final until the whole log is replaced") {
  const auto fail = [](FaultyFileSystem& fs, Operation operation) {
    if (operation == Operation::kTruncate) {
      fs.failAt(Operation::kAppend, 1, StatusCode::kStorageUnavailable);
    }
    fs.failAt(operation, 1);
  };
  for (const Operation operation : {Operation::kAppend, Operation::kTruncate, Operation::kSync}) {
    Log one;
    REQUIRE(one.append({"a"}).ok());
    fail(one.fs, operation);
    EXPECT(!one.append({"b"}).ok());
    EXPECT(!one.log->failure().ok());
    EXPECT(!one.append({"c"}).ok());
    REQUIRE(one.replace({"x", "y"}).ok());
    EXPECT(one.log->failure().ok());
    REQUIRE(one.append({"z"}).ok());
    REQUIRE(one.reopen().ok());
    EXPECT((one.texts == Texts{"x", "y", "z"}));
  }
}

TEST("a replacement that fails before its rename changes nothing and leaves no file") {
  for (const Operation operation :
       {Operation::kCreate, Operation::kAppend, Operation::kSync, Operation::kSyncDirectory}) {
    Log one;
    REQUIRE(one.append({"a"}).ok());
    one.fs.failAt(operation, 1);
    EXPECT(one.replace({"x"}).code() == StatusCode::kStorageUnavailable);
    EXPECT(one.files().size() == 1);
    REQUIRE(one.append({"b"}).ok());
    REQUIRE(one.reopen().ok());
    EXPECT((one.texts == Texts{"a", "b"}));
  }
}

TEST("a replacement with an uncertain rename is final") {
  for (const auto& [operation, nth] :
       {std::pair{Operation::kRename, 1u}, std::pair{Operation::kSyncDirectory, 2u},
        std::pair{Operation::kOpenAppend, 1u}}) {
    Log one;
    REQUIRE(one.append({"a"}).ok());
    one.fs.failAt(operation, nth, StatusCode::kIo);
    const Status replaced = one.replace({"x"});
    EXPECT(!replaced.ok() && replaced.code() != StatusCode::kStorageUnavailable);
    EXPECT(!one.append({"b"}).ok());
    REQUIRE(one.reopen().ok());
    EXPECT((one.texts == Texts{"x"} || one.texts == Texts{"a"}));
  }
}

TEST("after any failure a log has every acknowledged batch and at most one more") {
  std::mt19937_64 random(test::seed());
  for (int step = 0; step < 1000; ++step) {
    Log one;
    Texts sure;
    Texts perhaps;  // The other possible content after a final failure, or a prefix of it.
    for (int batches = 0; one.log->failure().ok() && batches < 40; ++batches) {
      if (random() % 2 == 0) {
        const auto operation = static_cast<Operation>(random() % test::kOperationCount);
        const bool isFull = random() % 2 == 0;
        one.fs.failAt(operation, 1 + random() % 4,
                      isFull ? StatusCode::kStorageUnavailable : StatusCode::kIo);
      }
      Texts batch(1 + random() % 4);
      for (std::string& text : batch) text = std::to_string(random());
      const bool isReplaced = random() % 6 == 0;
      perhaps = isReplaced ? Texts{} : sure;
      perhaps.insert(perhaps.end(), batch.begin(), batch.end());
      const Status done = isReplaced ? one.replace(batch) : one.append(batch);
      if (done.ok()) sure = perhaps;
      one.fs.heal();
      if (one.log->failure().ok() && random() % 8 == 0) {
        REQUIRE(one.reopen().ok());
        REQUIRE(one.texts == sure);
      }
    }
    const bool isFinal = !one.log->failure().ok();
    one.log.reset();
    if (random() % 2 == 0) one.fs.losePower();
    REQUIRE(one.reopen().ok());
    if (one.texts == sure) continue;
    REQUIRE(isFinal && one.texts.size() <= perhaps.size());
    REQUIRE(std::equal(one.texts.begin(), one.texts.end(), perhaps.begin()));
    const bool isAppended =
        perhaps.size() > sure.size() && std::equal(sure.begin(), sure.end(), perhaps.begin());
    REQUIRE(one.texts.size() >= (isAppended ? sure.size() : perhaps.size()));
  }
}
