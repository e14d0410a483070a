// REFS: after any failure, exactly the appended records are there.
#include "format/objects/refs_log.h"

#include <atomic>
#include <random>
#include <thread>

#include "faulty_file_system.h"
#include "format/objects/loose_tags.h"
#include "format/objects/plain_refs.h"
#include "harness.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

NewObject someObject(std::mt19937_64& random, std::size_t sizeMax) {
  ByteBuffer bytes(1 + random() % sizeMax);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return makeObject(std::move(bytes));
}

struct Expected {
  std::map<std::string, RefMove> refs;
  std::map<Sha256, ByteBuffer> objects;
};

void expectHolds(const RefsLog& refs, const Expected& expected) {
  EXPECT(refs.refs() == expected.refs);
  for (const auto& [id, bytes] : expected.objects) {
    const auto read = refs.read(id);
    EXPECT(read.ok() && read.value() == bytes);
  }
}

RefMove moveOf(const RefsLog& refs, const std::string& ref, const Sha256& to) {
  return {ref, refs.target(ref), to, 5, CommitReason::kCompact};
}

void note(Expected& expected, const RefMove& move, const NewObjects& objects) {
  if (move.to == Sha256{}) {
    expected.refs.erase(move.ref);
  } else {
    expected.refs[move.ref] = move;
  }
  for (const NewObject& one : objects) expected.objects[one.id] = one.bytes;
}

}  // namespace

TEST("refs and objects are there after each append, reopening and replacement") {
  std::mt19937_64 random(seed());
  const std::string directory = temporaryDirectory();
  FileSystem& fs = posixFileSystem();
  Expected expected;
  auto refs = RefsLog::open(fs, directory);
  REQUIRE(refs.ok());
  for (int step = 0; step < 60; ++step) {
    NewObjects objects;
    for (std::uint64_t left = 1 + random() % 5; left > 0; --left) {
      objects.push_back(someObject(random, random() % 10 == 0 ? 3'000'000 : 2000));
    }
    const std::string ref = random() % 2 == 0 ? kHeadRef : "tags/" + std::to_string(random() % 3);
    const Sha256 to = random() % 8 == 0 ? Sha256{} : objects.front().id;
    const RefMove move = moveOf(*refs.value(), ref, to);
    if (random() % 10 == 0) {
      // A few objects are dead; all others live.
      std::vector<Sha256> live;
      for (auto at = expected.objects.begin(); at != expected.objects.end();) {
        if (random() % 4 == 0) {
          at = expected.objects.erase(at);
          continue;
        }
        live.push_back((at++)->first);
      }
      REQUIRE(refs.value()->replace(move, objects, live).ok());
    } else {
      REQUIRE(refs.value()->append(move, objects).ok());
    }
    note(expected, move, objects);
    if (random() % 3 == 0) refs = RefsLog::open(fs, directory);
    REQUIRE(refs.ok());
    expectHolds(*refs.value(), expected);
  }
  EXPECT(refs.value()->read(sha256({})).status().code() == StatusCode::kStorageCorrupt);
}

TEST("a truncated ref move is ignored, and the moves before it stay") {
  std::mt19937_64 random(seed());
  const std::string directory = temporaryDirectory();
  FileSystem& fs = posixFileSystem();
  Expected first;
  auto refs = RefsLog::open(fs, directory);
  REQUIRE(refs.ok());
  const NewObjects one{someObject(random, 50)};
  const RefMove move = moveOf(*refs.value(), kHeadRef, one.front().id);
  REQUIRE(refs.value()->append(move, one).ok());
  note(first, move, one);
  const std::uint64_t size = refs.value()->size();
  const NewObjects two{someObject(random, 50)};
  const RefMove later = moveOf(*refs.value(), kHeadRef, two.front().id);
  REQUIRE(refs.value()->append(later, two).ok());
  const ByteBuffer whole = fs.readAll(directory + "/REFS").value();
  for (std::uint64_t cut = size; cut < whole.size(); ++cut) {
    {
      auto file = fs.openAppend(directory + "/REFS");
      REQUIRE(file.ok() && file.value()->truncate(0).ok());
      REQUIRE(file.value()->append(Bytes(whole).first(static_cast<std::size_t>(cut))).ok());
    }
    const auto again = RefsLog::open(fs, directory);
    REQUIRE(again.ok());
    expectHolds(*again.value(), first);
    EXPECT(fs.readAll(directory + "/REFS").value().size() == cut);
    Expected both = first;
    REQUIRE(again.value()->append(later, two).ok());
    note(both, later, two);
    expectHolds(*RefsLog::open(fs, directory).value(), both);
  }
}

TEST("a failed append or replacement of REFS leaves the old or the new state") {
  for (const bool isReplacing : {false, true}) {
    for (const Operation operation :
         {Operation::kCreate, Operation::kAppend, Operation::kSync, Operation::kTruncate,
          Operation::kRename, Operation::kSyncDirectory, Operation::kOpenAppend}) {
      for (std::uint64_t nth = 1; nth < 5; ++nth) {
        std::mt19937_64 random(seed() + nth);
        const std::string directory = temporaryDirectory();
        FaultyFileSystem fs(posixFileSystem());
        Expected before;
        auto refs = RefsLog::open(fs, directory);
        REQUIRE(refs.ok());
        const NewObjects one{someObject(random, 50)};
        const RefMove move = moveOf(*refs.value(), kHeadRef, one.front().id);
        REQUIRE(refs.value()->append(move, one).ok());
        note(before, move, one);
        const NewObjects two{someObject(random, 50)};
        const RefMove later = moveOf(*refs.value(), kHeadRef, two.front().id);
        fs.failAt(operation, nth);
        const std::vector<Sha256> live{one.front().id};
        const Status done = isReplacing ? refs.value()->replace(later, two, live)
                                        : refs.value()->append(later, two);
        fs.heal();
        refs = RefsLog::open(posixFileSystem(), directory);
        REQUIRE(refs.ok());
        Expected after = before;
        note(after, later, two);
        const bool isAfter = refs.value()->target(kHeadRef) == later.to;
        if (done.ok()) EXPECT(isAfter);
        expectHolds(*refs.value(), isAfter ? after : before);
      }
    }
  }
}

TEST("a full disk leaves REFS unchanged, and a later append succeeds") {
  std::mt19937_64 random(seed());
  const std::string directory = temporaryDirectory();
  FaultyFileSystem fs(posixFileSystem());
  auto refs = RefsLog::open(fs, directory);
  REQUIRE(refs.ok());
  Expected expected;
  const NewObjects objects{someObject(random, 500)};
  const RefMove move = moveOf(*refs.value(), kHeadRef, objects.front().id);
  REQUIRE(refs.value()->append(move, {}).ok());
  note(expected, move, {});
  fs.setSpace(20);
  EXPECT(refs.value()->append(move, objects).code() == StatusCode::kStorageUnavailable);
  EXPECT(refs.value()->failure().ok());
  fs.heal();
  REQUIRE(refs.value()->append(move, objects).ok());
  note(expected, move, objects);
  expectHolds(*RefsLog::open(fs, directory).value(), expected);
}

TEST("a flipped byte of REFS is refused as damage that names the file") {
  std::mt19937_64 random(seed());
  const std::string directory = temporaryDirectory();
  auto refs = RefsLog::open(posixFileSystem(), directory);
  REQUIRE(refs.ok());
  // The object is so long that the flipped byte is in it: damage in the last record may be a torn
  // tail.
  const NewObjects objects{makeObject(ByteBuffer(200, 7))};
  const RefMove move = moveOf(*refs.value(), kHeadRef, objects.front().id);
  REQUIRE(refs.value()->append(move, objects).ok());
  REQUIRE(refs.value()->append(move, {}).ok());
  ByteBuffer bytes = posixFileSystem().readAll(directory + "/REFS").value();
  bytes[static_cast<std::size_t>(random() % 17) + 140] ^= 1;
  {
    auto file = posixFileSystem().openAppend(directory + "/REFS");
    REQUIRE(file.ok() && file.value()->truncate(0).ok() && file.value()->append(bytes).ok());
  }
  const auto again = RefsLog::open(posixFileSystem(), directory);
  EXPECT(again.status().code() == StatusCode::kStorageCorrupt);
  EXPECT(again.status().message().find("REFS") != std::string::npos);
}

TEST("a loose tag is read with its objects, and a tag file with the wrong ref is refused") {
  std::mt19937_64 random(seed());
  const std::string directory = temporaryDirectory();
  FileSystem& fs = posixFileSystem();
  REQUIRE(fs.makeDirectory(directory + "/refs/tags").ok());
  const NewObjects objects{someObject(random, 500), someObject(random, 500)};
  const auto write = [&](const std::string& name, const std::string& ref) {
    ByteBuffer record;
    const std::size_t begin = beginRecord(record, kRefMoveType, 1, true);
    const RefMove move{ref, {}, objects.front().id, 1, CommitReason::kFlush};
    CHECK(appendRefMove(record, move, objects).ok());
    CHECK(endRecord(record, begin).ok());
    return createLog(fs, {directory + "/refs/tags", name, LogKind::kRefs}, record).ok();
  };
  REQUIRE(write("v1", "tags/v1"));
  EXPECT(looseTagNames(fs, directory).value().size() == 1);
  const auto tags = readLooseTags(fs, directory);
  REQUIRE(tags.ok() && tags.value().size() == 1);
  EXPECT(tags.value().front().move.ref == "tags/v1" && tags.value().front().objects.size() == 2);
  EXPECT(tags.value().front().objects.front().id == objects.front().id);
  REQUIRE(write("v2", "tags/other"));
  EXPECT(readLooseTags(fs, directory).status().code() == StatusCode::kStorageCorrupt);
}

namespace {

// Writes REFS in the old form: objects, then a move with one more.
void writePlain(const std::string& directory, const RefMove& move, const NewObjects& objects) {
  ByteBuffer records;
  ByteBuffer payload;
  appendPlainObjects(payload, std::span(objects).first(objects.size() - 1));
  appendRecord(records, kPlainObjectsType, 1, payload);
  payload.clear();
  appendPlainRefMove(payload, move, std::span(objects).last(1));
  appendRecord(records, kPlainRefMoveType, 2, payload);
  REQUIRE(createLog(posixFileSystem(), {directory, "REFS", LogKind::kRefs}, records).ok());
}

NewObject textObject(std::mt19937_64& random) {
  std::string text;
  for (int i = 0; i < 400; ++i) text += "host_" + std::to_string(random() % 1000);
  return makeObject({text.begin(), text.end()});
}

}  // namespace

TEST("an old REFS is read, appended to in the new format, and shrinks when rewritten") {
  std::mt19937_64 random(seed());
  const std::string directory = temporaryDirectory();
  FileSystem& fs = posixFileSystem();
  const NewObjects objects{textObject(random), textObject(random), textObject(random)};
  Expected expected;
  const RefMove move{kHeadRef, {}, objects.back().id, 5, CommitReason::kFlush};
  writePlain(directory, move, objects);
  note(expected, move, objects);
  auto refs = RefsLog::open(fs, directory);
  REQUIRE(refs.ok());
  expectHolds(*refs.value(), expected);
  const NewObjects more{textObject(random)};
  const RefMove later = moveOf(*refs.value(), kHeadRef, more.front().id);
  REQUIRE(refs.value()->append(later, more).ok());
  note(expected, later, more);
  refs = RefsLog::open(fs, directory);
  REQUIRE(refs.ok());
  expectHolds(*refs.value(), expected);
  std::vector<Sha256> live;
  for (const auto& [id, bytes] : expected.objects) live.push_back(id);
  const std::uint64_t before = refs.value()->size();
  REQUIRE(refs.value()->replace(later, {}, live).ok());
  EXPECT(refs.value()->size() < before * 2 / 3);
  expectHolds(*refs.value(), expected);
  EXPECT(refs.value()->sizeOf(live) < refs.value()->size());
  expectHolds(*RefsLog::open(fs, directory).value(), expected);
}

TEST("an object whose bytes do not match its hash is reported when it is read") {
  std::mt19937_64 random(seed());
  const std::string directory = temporaryDirectory();
  NewObject other = textObject(random);
  const NewObject named = textObject(random);
  other.id = named.id;
  auto refs = RefsLog::open(posixFileSystem(), directory);
  REQUIRE(refs.ok());
  REQUIRE(refs.value()->append(moveOf(*refs.value(), kHeadRef, named.id), {other}).ok());
  refs = RefsLog::open(posixFileSystem(), directory);
  REQUIRE(refs.ok());
  const auto read = refs.value()->read(named.id);
  EXPECT(read.status().code() == StatusCode::kStorageCorrupt);
  EXPECT(read.status().message().find(named.id.text() + " is damaged") != std::string::npos);
}

TEST("a REFS record with a missing or extra byte, or of an unknown type, is refused") {
  std::mt19937_64 random(seed());
  const NewObjects objects{textObject(random), someObject(random, 20)};
  const RefMove move{kHeadRef, {}, objects.back().id, 5, CommitReason::kFlush};
  for (const bool isPlain : {false, true}) {
    ByteBuffer payload;
    if (isPlain) {
      appendPlainRefMove(payload, move, objects);
    } else {
      REQUIRE(appendRefMove(payload, move, objects).ok());
    }
    const std::uint8_t type = isPlain ? kPlainRefMoveType : kRefMoveType;
    const auto parsed = parseRefsRecord(type, payload);
    REQUIRE(parsed.ok() && parsed.value().move == move && parsed.value().objects.size() == 2);
    EXPECT(parsed.value().objects.front().id == objects.front().id);
    for (std::size_t size = 0; size < payload.size(); ++size) {
      EXPECT(!parseRefsRecord(type, Bytes(payload).first(size)).ok());
    }
    payload.push_back(0);
    EXPECT(!parseRefsRecord(type, payload).ok());
    EXPECT(!parseRefsRecord(0, payload).ok() && !parseRefsRecord(5, payload).ok());
  }
}

TEST("objects are read by several threads at a time") {
  std::mt19937_64 random(seed());
  const std::string directory = temporaryDirectory();
  auto refs = RefsLog::open(posixFileSystem(), directory);
  REQUIRE(refs.ok());
  NewObjects objects;
  for (int i = 0; i < 40; ++i) objects.push_back(textObject(random));
  REQUIRE(refs.value()->append(moveOf(*refs.value(), kHeadRef, objects[0].id), objects).ok());
  refs = RefsLog::open(posixFileSystem(), directory);
  REQUIRE(refs.ok());
  std::atomic<int> wrong = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&] {
      for (const NewObject& one : objects) {
        const auto read = refs.value()->read(one.id);
        if (!read.ok() || read.value() != one.bytes) wrong.fetch_add(1);
      }
    });
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT(wrong.load() == 0);
}
